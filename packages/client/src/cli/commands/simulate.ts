import { readFileSync } from 'node:fs';
import type { SchedulePatch } from '../../types/schedule.js';
import type { Simulation, SimulationFigures, SimulationInput } from '../../types/simulation.js';
import { command, type Output } from '../command.js';
import { type Cell, fields, table } from '../table.js';
import type { Terminal } from '../terminal.js';
import { readDuration, readOptionalTime, readTime, shortTime } from '../times.js';
import { UsageError } from '../usage-error.js';

export const simulate = command({
  name: 'simulate',
  summary: 'Show which occurrences would run, be skipped or be caught up, for given edits and outages',
  details:
    'Simulates the schedules of the project, or those of a file. Nothing is saved. The file holds the body of POST /v1/simulate.',
  usage: '',
  words: { least: 0, most: 0 },
  options: {
    tag: { type: 'string', value: '<tag>', about: 'only schedules with this tag' },
    from: { type: 'string', value: '<time>', about: 'the beginning (default now)' },
    to: { type: 'string', value: '<time>', about: 'the end (default a day later)' },
    outage: {
      type: 'string',
      value: '<from>,<to>[,<receiver>]',
      multiple: true,
      about: 'the engine, or one receiver, is down',
    },
    edit: { type: 'string', value: '<json>', about: 'patch that is applied to all simulated schedules' },
    'run-time': { type: 'string', value: '<duration>', about: 'how long each run takes (default 0)' },
    file: { type: 'string', short: 'f', value: '<path>', about: 'read the request from a JSON file' },
  },
  examples: [
    'carillon simulate --outage 2026-11-18T08:55:00Z,2026-11-18T09:25:00Z',
    'carillon simulate --tag billing --edit \'{"misfire":{"policy":"all"}}\' --outage +1h,+2h,https://example.com',
  ],
  async run({ values, client, terminal }): Promise<Output> {
    const nowAt = Date.now();
    const fromFile: SimulationInput =
      values.file === undefined ? {} : JSON.parse(readFileSync(values.file, 'utf8'));
    const runTime = values['run-time'];
    const answer = await client.simulate({
      ...fromFile,
      ...(values.tag === undefined ? {} : { filter: { tag: values.tag } }),
      ...(values.edit === undefined ? {} : { edits: [{ patch: readPatch(values.edit) }] }),
      ...(values.outage === undefined
        ? {}
        : { outages: values.outage.map((text) => readOutage(text, nowAt)) }),
      ...(runTime === undefined ? {} : { runTime: readDuration(runTime) }),
      ...(values.from === undefined ? {} : { from: readOptionalTime(values.from, nowAt) }),
      ...(values.to === undefined ? {} : { to: readOptionalTime(values.to, nowAt) }),
    });
    return { json: answer, text: textOf(answer, terminal), notes: answer.advice.map(({ text }) => text) };
  },
});

function readOutage(text: string, nowAt: number) {
  const [from, to, receiver = null, ...rest] = text.split(',');
  if (from === undefined || to === undefined || rest.length > 0)
    throw new UsageError(`--outage is "${text}"; expected <from>,<to> or <from>,<to>,<receiver>`);
  return { from: readTime(from, nowAt), to: readTime(to, nowAt), receiver };
}

function readPatch(text: string): SchedulePatch {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError('--edit is not JSON; expected a patch such as {"jitter":"PT30S"}');
  }
}

function textOf({ from, to, total, byMisfire, peak, paused }: Simulation, terminal: Terminal): string {
  const pairs: [string, Cell][] = [
    ['from', shortTime(from)],
    ['to', shortTime(to)],
    ['schedules', `${total.schedules}${paused > 0 ? `, ${paused} of them paused` : ''}`],
    ['peak', peak ? `${peak.perSecond} runs in the second of ${shortTime(peak.at)}` : 'nothing runs'],
  ];
  const policies = Object.entries(byMisfire).filter(([, figures]) => figures.schedules > 0);
  // The first row is not called `all`, because `all` is the name of a policy.
  const rows = [['total', total] as const, ...policies].map(([name, figures]) => rowOf(name, figures));
  const titles = ['MISFIRE', 'RUNS', 'CAUGHT UP', 'SKIPPED', 'QUEUED', 'DEFERRED', 'RETRIED', 'FAILED'];
  return `${fields(pairs, terminal.style)}\n\n${table(titles, rows, terminal)}`;
}

function rowOf(name: string, figures: SimulationFigures): string[] {
  const skipped = Object.values(figures.skipped).reduce((sum, count) => sum + count, 0);
  const { runs, caughtUp, queued, deferred, retried, failed } = figures;
  return [name, ...[runs, caughtUp, skipped, queued, deferred, retried, failed].map(String)];
}
