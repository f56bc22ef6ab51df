import { readFile } from 'node:fs/promises';
import { insertSchedules, useDatabase, useProcesses, useReceiver } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { awaitRun } from './support.js';

const database = useDatabase();
const receiver = useReceiver();
const processes = useProcesses(database);

const MEGABYTE = 1_024 ** 2;
const HOSTILE = [
  'huge',
  'bomb',
  'headers',
  'garbage',
  'binary',
  'reset',
  'reset-midway',
  'hang',
  'drip',
  'retry-after/1',
  'status/500',
];

async function residentBytes(pid: number): Promise<number> {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1_024;
}

async function deliverAll(paths: readonly string[]): Promise<void> {
  const ids = await insertSchedules(
    database,
    paths.map((path) => ({
      rule: { at: new Date().toISOString() },
      target: { type: 'webhook', url: receiver.url(path), headers: {} },
      timeout: 'PT2S',
      retry: { maxAttempts: 1 },
    })),
  );
  for (const id of ids) await awaitRun(database, id);
}

describe.runIf(process.platform === 'linux')('Memory', () => {
  it('the memory of a worker grows by less than 50 MB, whatever its receivers send', async () => {
    // The circuit breaker stays open for only 1 ms at first, so that the hostile answers are received.
    const { pid } = await processes.worker({ env: { CIRCUIT_OPEN_MS: '1' } });
    // Deliver ordinary runs first, so that the memory that they need is allocated before the measurement.
    for (let round = 0; round < 5; round++) await deliverAll(Array(200).fill('status/200'));
    const before = await residentBytes(pid);
    let peak = before;
    const timer = setInterval(async () => {
      peak = Math.max(peak, await residentBytes(pid));
    }, 20);

    for (let round = 0; round < 3; round++) await deliverAll(HOSTILE.flatMap((path) => Array(5).fill(path)));
    clearInterval(timer);

    expect((peak - before) / MEGABYTE).toBeLessThan(50);
  }, 60_000);
});
