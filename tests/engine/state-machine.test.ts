import { readFile } from 'node:fs/promises';
import { RUN_TRANSITIONS } from '@carillon/db';
import { RUN_STATUSES } from '@carillon/shared';
import { expect, it } from 'vitest';

const HEADER = '| transition | from | to | by |';
const page = await readFile(new URL('../../docs/state-machine.md', import.meta.url), 'utf8');

/** Returns the rows of the table with this header, as lists of cells. */
function tableAfter(header: string): string[][] {
  const lines = page.split('\n').map((line) => line.trim());
  const start = lines.indexOf(header);
  if (start < 0) throw new Error(`docs/state-machine.md has no table with the header ${header}`);
  const end = lines.findIndex((line, i) => i > start && !line.startsWith('|'));
  return lines.slice(start + 2, end < 0 ? undefined : end).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

const inBackticks = (cell: string | undefined) =>
  [...(cell ?? '').matchAll(/`([^`]+)`/g)].map(([, word]) => word);

it('docs/state-machine.md lists exactly the run transitions that the code knows', () => {
  const documented = tableAfter(HEADER).map(([transition, from, to, by]) => ({
    transition: inBackticks(transition).join(),
    from: inBackticks(from).join() || from,
    to: inBackticks(to),
    by,
  }));
  const known = Object.entries(RUN_TRANSITIONS).map(([transition, { from, to, by }]) => ({
    transition,
    from: typeof from === 'string' ? from : from.join(),
    to: [...to],
    by,
  }));
  expect(documented).toEqual(known);
});

it('every run status can be reached by a transition, and only the status skipped has no transition out of it', () => {
  const transitions = Object.values(RUN_TRANSITIONS);
  const reached = new Set<string>(transitions.flatMap(({ to }) => [...to]));
  expect([...reached].sort()).toEqual([...RUN_STATUSES].sort());
  const left = new Set<string>(transitions.flatMap(({ from }) => (from === 'new' ? [] : [...from])));
  expect(RUN_STATUSES.filter((status) => !left.has(status))).toEqual(['skipped']);
});
