import { eventually, insertSchedules, type TestDatabase, type WebhookReceiver } from '@carillon/testkit';
import { expect } from 'vitest';

/** Inserts one-shots whose due times are spread over a span of time; returns the path at the receiver of each. */
export async function insertLoad(
  database: TestDatabase,
  receiver: WebhookReceiver,
  { name, count, fromMs, spanMs }: { name: string; count: number; fromMs: number; spanMs: number },
): Promise<string[]> {
  const startAt = Date.now() + fromMs;
  const paths = Array.from({ length: count }, (_, index) => `status/200/${name}/${index}`);
  await insertSchedules(
    database,
    paths.map((path, index) => ({
      rule: { at: new Date(startAt + (index * spanMs) / count).toISOString() },
      target: { type: 'webhook' as const, url: receiver.url(path), headers: {} },
    })),
  );
  return paths;
}

/** Waits until the receiver has got a delivery for every path; returns how many deliveries each path has got. */
export async function awaitLoad(receiver: WebhookReceiver, paths: readonly string[]): Promise<number[]> {
  const deliveries = () => paths.map((path) => receiver.to(path).length);
  await eventually(() => deliveries().every((count) => count > 0), { what: 'every delivery' });
  return deliveries();
}

/**
 * The number of bells (the delayed jobs in Redis that wake a worker) that have rung, as the workers have reported it
 * with their heartbeats.
 */
export async function readBellsRung({ pool }: TestDatabase): Promise<number> {
  const { rows } = await pool.query(
    `select value from carillon.metrics where name = 'carillon_bells_rung_total'`,
  );
  return Number(rows[0]?.value ?? 0);
}

/** Waits until twenty more bells (the delayed jobs in Redis that wake a worker) have rung. */
export async function awaitBells(database: TestDatabase, what: string): Promise<void> {
  const rungBefore = await readBellsRung(database);
  await eventually(async () => (await readBellsRung(database)) > rungBefore + 20, { what });
}

/**
 * Waits until the log lines of a worker report as many recoveries of Redis as outages. Returns how many outages there
 * were.
 */
export async function seeRecovery(lines: () => readonly Record<string, unknown>[]): Promise<number> {
  const count = (text: string) => lines().filter(({ msg }) => String(msg).startsWith(text)).length;
  await eventually(() => count('Redis takes writes again') === count('Redis takes no writes'), {
    what: 'the log line about the recovery of Redis',
  });
  expect(lines().filter(({ level }) => level === undefined)).toEqual([]);
  return count('Redis takes no writes');
}
