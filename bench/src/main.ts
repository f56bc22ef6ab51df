import { openArena } from './harness/arena.js';
import { textTable } from './harness/format.js';
import type { Race, RaceResult } from './harness/race.js';
import { type Options, readOptions, USAGE } from './options.js';
import { RACES } from './races/index.js';
import { writePage } from './report/page.js';
import { circumstances, type KeptResult, keepResults } from './report/results.js';

const THERE_ARE = `There are: ${RACES.map(({ name }) => name).join(', ')}`;
const options = readOptionsOrLeave();
const unknown = options.names.filter((name) => !RACES.some((race) => race.name === name));
if (unknown.length > 0) {
  console.error(`No race named ${unknown.join(', ')}. ${THERE_ARE}`);
  process.exit(2);
}
const races = RACES.filter(({ name }) => options.names.length === 0 || options.names.includes(name));

const arena = await openArena(process.env);
// The servers run apart from this process group: Ctrl-C does not reach them.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => arena.close().finally(() => process.exit(130)));
}
const results: KeptResult[] = [];
try {
  for (const line of arena.description) console.log(line);
  for (const race of races) {
    results.push(await run(race));
    // After each of them: all take an hour and more, and whoever stops has what was there.
    if (options.isWritten) await writePage(await keepResults(results));
  }
} finally {
  await arena.close();
}
process.exit(results.some(({ refused }) => refused.length > 0) ? 1 : 0);

function readOptionsOrLeave(): Options {
  try {
    const options = readOptions(process.argv.slice(2));
    if (options) return options;
    console.log(`${USAGE}\n\n${THERE_ARE}`);
    process.exit(0);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}\n\n${THERE_ARE}`);
    process.exit(2);
  }
}

async function run(race: Race): Promise<KeptResult> {
  console.log(`\n${race.name}: ${race.work}`);
  const before = circumstances();
  const say = (text: string) => console.log(`  · ${text}`);
  const startedAt = performance.now();
  const repeat = options.repeat ?? race.rounds;
  const result = await race.run({ ...options, repeat, arena, say });
  say(`took ${Math.round((performance.now() - startedAt) / 1_000)} s`);
  print(result);
  const flags = repeat === race.rounds ? '' : ` --repeat ${repeat}`;
  return {
    ...result,
    ...before,
    name: race.name,
    work: race.work,
    command: `pnpm bench ${race.name}${flags}`,
    repeat,
    servers: arena.description,
  };
}

function print({ head, rows, goals, notes, refused }: RaceResult): void {
  console.log(`\n${textTable(head, rows)}\n`);
  for (const note of notes) console.log(note);
  // At a quick run's size the figures say nothing.
  for (const { goal, figure, isMet } of options.isQuick ? [] : goals)
    console.log(`${isMet ? '✓' : '✗'} goal ${goal}: ${figure}`);
  for (const reason of refused) console.error(`No figure: ${reason}`);
}
