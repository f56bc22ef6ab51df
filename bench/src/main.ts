import { buildEarlierCarillon, DEFAULT_COMMIT, type EarlierCarillon } from './before/earlier-carillon.js';
import { openArena } from './harness/arena.js';
import { expectServersToStop } from './harness/connections.js';
import { textTable } from './harness/format.js';
import { continueOnPinnedNode } from './harness/pinned-node.js';
import type { Race, RaceResult } from './harness/race.js';
import { type Options, readOptions, USAGE } from './options.js';
import { RACES } from './races/index.js';
import { missedGoals } from './report/missed-goals.js';
import { writePage } from './report/page.js';
import { circumstances, type KeptResult, keepResults } from './report/results.js';

const THERE_ARE = `There are: ${RACES.map(({ name }) => name).join(', ')}`;
const options = readOptionsOrLeave();
const unknown = options.names.filter((name) => !RACES.some((race) => race.name === name));
if (unknown.length > 0) {
  console.error(`No race named ${unknown.join(', ')}. ${THERE_ARE}`);
  process.exit(2);
}
const incomparable = RACES.filter(({ name, canCompare }) => options.names.includes(name) && !canCompare);
if (options.before && incomparable.length > 0) {
  console.error(`No comparison with an earlier commit in ${incomparable.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}
const races = RACES.filter(({ name, canCompare }) =>
  options.names.length === 0 ? canCompare || !options.before : options.names.includes(name),
);

if (!options.isOnOwnNode) await continueOnPinnedNode();
const before = options.before ? await buildEarlierOrLeave(options.before) : null;
const opening = openArena(process.env);
let isInterrupted = false;
/** A promise that never settles. It is returned after an interrupt, because the signal handler ends this process. */
const untilExit = new Promise<never>(() => {});
// The servers run in sessions of their own, so Ctrl-C does not reach them, and this process has to stop them.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    isInterrupted = true;
    expectServersToStop();
    close().finally(() => process.exit(130));
  });
}
const arena = await opening.catch(async (error) => {
  await before?.remove();
  throw error;
});
const results: KeptResult[] = [];
try {
  for (const line of arena.description) console.log(line);
  if (before) console.log(`Carillon before: commit ${before.version}, with the dependencies of this one`);
  for (const race of races) {
    results.push(await run(race));
    // The page is written after each race. All races take more than an hour, and an interrupted run should keep its
    // results.
    if (options.isWritten) await writePage(await keepResults(results));
  }
} finally {
  await close();
}
const missed = options.isStrict ? missedGoals(results) : [];
for (const goal of missed) console.error(`Goal missed: ${goal}`);
process.exit(missed.length > 0 || results.some(({ refused }) => refused.length > 0) ? 1 : 0);

async function close(): Promise<void> {
  await (await opening).close();
  await before?.remove();
}

function readOptionsOrLeave(): Options {
  try {
    const options = readOptions(process.argv.slice(2), {
      races: RACES.map(({ name }) => name),
      defaultCommit: DEFAULT_COMMIT,
    });
    if (options) return options;
    console.log(`${USAGE}\n\n${THERE_ARE}`);
    process.exit(0);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}\n\n${THERE_ARE}`);
    process.exit(2);
  }
}

async function buildEarlierOrLeave(commit: string): Promise<EarlierCarillon> {
  try {
    return await buildEarlierCarillon(commit);
  } catch (error) {
    console.error((error as Error).message);
    process.exit(2);
  }
}

async function run(race: Race): Promise<KeptResult> {
  if (isInterrupted) return untilExit;
  console.log(`\n${race.name}: ${race.work}`);
  const conditions = circumstances();
  const say = (text: string) => {
    if (!isInterrupted) console.log(`  · ${text}`);
  };
  const startedAt = performance.now();
  const repeat = options.repeat ?? race.rounds;
  const result = await race.run({ ...options, repeat, before, arena, say });
  // The interrupt has stopped the servers, so this race has no result to print or keep.
  if (isInterrupted) return untilExit;
  say(`took ${Math.round((performance.now() - startedAt) / 1_000)} s`);
  print(result);
  const flags = repeat === race.rounds ? '' : ` --repeat ${repeat}`;
  return {
    ...result,
    ...conditions,
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
  // A quick run is too small to compare its figures with a goal.
  for (const { goal, figure, isMet } of options.isQuick ? [] : goals)
    console.log(`${isMet ? '✓ goal met' : '✗ goal missed'}: ${goal}: ${figure}`);
  for (const reason of refused) console.error(`No figure: ${reason}`);
}
