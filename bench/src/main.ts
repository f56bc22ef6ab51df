import { openArena } from './harness/arena.js';
import { textTable } from './harness/format.js';
import type { Race, RaceResult } from './harness/race.js';
import { readOptions } from './options.js';
import { badNeighbour } from './races/bad-neighbour.js';
import { herd } from './races/herd.js';

const RACES: readonly Race[] = [herd, badNeighbour];

const options = readOptions(process.argv.slice(2));
const unknown = options.names.filter((name) => !RACES.some((race) => race.name === name));
if (unknown.length > 0) {
  console.error(
    `No race named ${unknown.join(', ')}. There are: ${RACES.map(({ name }) => name).join(', ')}`,
  );
  process.exit(2);
}
const races = RACES.filter(({ name }) => options.names.length === 0 || options.names.includes(name));

const arena = await openArena(process.env);
const say = (text: string) => console.log(`  · ${text}`);
let hasRefused = false;
try {
  for (const line of arena.description) console.log(line);
  for (const race of races) {
    console.log(`\n${race.name}: ${race.work}`);
    const result = await race.run({ ...options, arena, say });
    print(result);
    hasRefused ||= result.refused.length > 0;
  }
} finally {
  await arena.close();
}
process.exit(hasRefused ? 1 : 0);

function print({ head, rows, goals, notes, refused }: RaceResult): void {
  console.log(`\n${textTable(head, rows)}\n`);
  for (const note of notes) console.log(note);
  for (const { goal, figure, isMet } of goals) console.log(`${isMet ? '✓' : '✗'} goal ${goal}: ${figure}`);
  for (const reason of refused) console.error(`No figure: ${reason}`);
}
