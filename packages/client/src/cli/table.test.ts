import { describe, expect, it } from 'vitest';
import { fields, table } from './table.js';
import { coloured, plain } from './terminal.js';

describe('table', () => {
  const rows = [
    ['a', { text: 'active', look: 'green' as const }, 'something that is rather long'],
    ['bcd', 'x', ''],
  ];

  it('a table of the carillon command aligns its columns under their titles', () => {
    expect(table(['ID', 'STATUS', 'WHY'], rows, { style: plain, columns: null })).toBe(
      ['ID   STATUS  WHY', 'a    active  something that is rather long', 'bcd  x'].join('\n'),
    );
  });

  it('a table of the carillon command that is too wide shortens its last column', () => {
    const lines = table(['ID', 'STATUS', 'WHY'], rows, { style: plain, columns: 30 }).split('\n');
    expect(lines[1]).toBe('a    active  something that i…');
    expect(lines[1]).toHaveLength(30);
  });

  it('a table of the carillon command is aligned even if its cells have colours', () => {
    const [, first] = table(['ID', 'STATUS', 'WHY'], rows, { style: coloured, columns: null }).split('\n');
    expect(first).toBe('a    \u001b[32mactive\u001b[0m  something that is rather long');
  });

  it('a table of the carillon command shows no control characters of its data', () => {
    const hostile = [['\u001b[2Jgone\r\nnext\u009b31m']];
    expect(table(['ID'], hostile, { style: plain, columns: null })).toBe('ID\n [2Jgone next 31m');
  });
});

describe('fields', () => {
  it('the carillon command prints no line for a field without a value', () => {
    const pairs = [
      ['id', 'a'],
      ['name', null],
      ['tags', ''],
      ['status', 'active'],
    ] as const;
    expect(fields(pairs, plain)).toBe('id      a\nstatus  active');
  });
});
