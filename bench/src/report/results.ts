import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { cpus, loadavg, platform, release, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { RaceResult } from '../harness/race.js';

/**
 * The file with the latest results of each race. The page is written from it, so a run of a single race keeps the
 * results of the other races.
 */
const FILE = fileURLToPath(new URL('../../../docs/performance/results.json', import.meta.url));

export interface KeptResult extends RaceResult {
  name: string;
  work: string;
  command: string;
  repeat: number;
  commit: string;
  at: string;
  machine: string;
  servers: string[];
}

export async function readResults(): Promise<KeptResult[]> {
  return JSON.parse(await readFile(FILE, 'utf8'));
}

/** Replaces the stored results of these races. */
export async function keepResults(results: readonly KeptResult[]): Promise<KeptResult[]> {
  const names = new Set(results.map(({ name }) => name));
  const kept = [...(await readResults()).filter(({ name }) => !names.has(name)), ...results];
  await writeFile(FILE, `${JSON.stringify(kept, null, 2)}\n`);
  return kept;
}

/**
 * The commit, the time and the machine of a result. The load average shows whether the machine was busy with other
 * work.
 */
export function circumstances(): { commit: string; at: string; machine: string } {
  const [cpu] = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return {
    commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
    at: new Date().toISOString().slice(0, 16).replace('T', ' '),
    machine: `${cpus().length} × ${cpu?.model.trim()}, ${gigabytes} GB, ${platform()} ${release()}, Node ${process.versions.node}, load ${loadavg()[0]?.toFixed(2)} before it`,
  };
}
