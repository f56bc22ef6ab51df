import {
  eventually,
  insertSchedules,
  type TestDatabase,
  type TestProcess,
  type WebhookReceiver,
} from '@carillon/testkit';
import { expect } from 'vitest';

/** Inserts one-shots that are due one after the other; returns their paths at the receiver. */
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

/** Waits until every path has a delivery; returns how many deliveries each path has had. */
export async function awaitLoad(receiver: WebhookReceiver, paths: readonly string[]): Promise<number[]> {
  const deliveries = () => paths.map((path) => receiver.to(path).length);
  await eventually(() => deliveries().every((count) => count > 0), { what: 'every delivery' });
  return deliveries();
}

/** The number of bells that have rung, as the workers reported it with their heartbeats. */
export async function readBellsRung({ pool }: TestDatabase): Promise<number> {
  const { rows } = await pool.query(
    `select value from carillon.metrics where name = 'carillon_bells_rung_total'`,
  );
  return Number(rows[0]?.value ?? 0);
}

/** Waits until twenty more bells have rung. */
export async function awaitBells(database: TestDatabase, what: string): Promise<void> {
  const rungBefore = await readBellsRung(database);
  await eventually(async () => (await readBellsRung(database)) > rungBefore + 20, { what });
}

/**
 * Ends workers that have seen a failover of Redis. Each worker may have warned once, and must then have logged the
 * recovery.
 */
export async function endAfterFailover(workers: readonly TestProcess[]): Promise<void> {
  for (const worker of workers) {
    const linesOf = (text: string) => worker.lines.filter(({ msg }) => msg?.startsWith(text)).length;
    await eventually(() => linesOf('Redis takes writes again') === linesOf('Redis takes no writes'));
    expect(linesOf('Redis takes no writes')).toBeLessThanOrEqual(1);
    expect(worker.lines.filter(({ level }) => level === undefined)).toEqual([]);
    await worker.end();
  }
}
