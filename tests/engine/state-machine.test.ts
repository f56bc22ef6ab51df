import { readdir, readFile } from 'node:fs/promises';
import { RUN_TRANSITIONS, SCHEDULE_TRANSITIONS } from '@carillon/db';
import { RUN_STATUSES, SCHEDULE_STATUSES } from '@carillon/shared';
import { describe, expect, it } from 'vitest';

const page = await readFile(new URL('../../docs/state-machine.md', import.meta.url), 'utf8');

interface Transition {
  from: readonly string[] | 'new';
  to: readonly string[];
  by: string;
}

const MACHINES: [name: string, transitions: Record<string, Transition>, statuses: readonly string[]][] = [
  ['schedule', SCHEDULE_TRANSITIONS, SCHEDULE_STATUSES],
  ['run', RUN_TRANSITIONS, RUN_STATUSES],
];

/** Returns the section of the page with this heading. */
function sectionOf(name: string): string {
  const section = page.split('\n## ').find((text) => text.startsWith(`A ${name}\n`));
  if (section === undefined) throw new Error(`docs/state-machine.md has no section "A ${name}"`);
  return section;
}

/** Returns the rows of the section's table of transitions, as lists of cells. */
function tableOf(name: string): string[][] {
  const [, rows = ''] = sectionOf(name).split('| transition | from | to | by |\n| --- | --- | --- | --- |\n');
  const [table = ''] = rows.split('\n\n');
  return table
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
}

interface Arrow {
  from: string;
  to: string;
  transition: string;
}

/** Returns the labelled arrows of the section's diagram, one for each transition of a label. */
function arrowsOf(name: string): Arrow[] {
  return [...sectionOf(name).matchAll(/^ {2}(\S+) --> (\w+): (.+)$/gm)].flatMap(
    ([, from = '', to = '', label = '']) =>
      label.split(', ').map((part) => ({ from, to, transition: part.split(' ')[0] ?? '' })),
  );
}

const inBackticks = (cell: string | undefined) =>
  [...(cell ?? '').matchAll(/`([^`]+)`/g)].map(([, word]) => word);

describe.each(MACHINES)('States of a %s', (name, transitions, statuses) => {
  it(`docs/state-machine.md lists exactly the ${name} transitions that the code knows`, () => {
    const documented = tableOf(name).map(([transition, from, to, by]) => ({
      transition: inBackticks(transition).join(),
      from: inBackticks(from).join(),
      to: inBackticks(to),
      by,
    }));
    const known = Object.entries(transitions).map(([transition, { from, to, by }]) => ({
      transition,
      from: typeof from === 'string' ? from : from.join(),
      to: [...to],
      by,
    }));
    expect(documented).toEqual(known);
  });

  it(`the ${name} diagram in docs/state-machine.md draws exactly the transitions that change the status, as the code knows them`, () => {
    const arrows = arrowsOf(name);
    const unknown = arrows.filter(({ from, to, transition }) => {
      const known = transitions[transition];
      const begins = known?.from === 'new' ? from === '[*]' : known?.from.includes(from);
      return !begins || !known?.to.includes(to);
    });
    expect(unknown).toEqual([]);
    const changing = Object.keys(transitions).filter((key) => key !== 'hold' && key !== 'release');
    expect([...new Set(arrows.map(({ transition }) => transition))].sort()).toEqual(changing.sort());
  });

  it(`every ${name} status can be reached by a transition`, () => {
    const reached = new Set(Object.values(transitions).flatMap(({ to }) => [...to]));
    expect([...reached].sort()).toEqual([...statuses].sort());
  });
});

it('every run status except `skipped` has a transition out of it', () => {
  const left = new Set<string>(
    Object.values(RUN_TRANSITIONS).flatMap(({ from }) => (from === 'new' ? [] : [...from])),
  );
  expect(RUN_STATUSES.filter((status) => !left.has(status))).toEqual(['skipped']);
});

it('only the modules of transitions contain SQL that sets the status of a schedule or a run, or marks an agenda row as held', async () => {
  const source = new URL('../../packages/db/src/', import.meta.url);
  const files = (await readdir(source, { recursive: true })).filter((file) => file.endsWith('.ts'));
  const setters: string[] = [];
  for (const file of files) {
    const text = await readFile(new URL(file, source), 'utf8');
    if (/set\s+status = |paused_at = coalesce|is_held = true/.test(text)) setters.push(file);
  }
  expect(setters.sort()).toEqual(['runs/run-transitions.ts', 'schedules/schedule-transitions.ts']);
});
