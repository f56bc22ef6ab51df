import { randomUUID } from 'node:crypto';
import { registerWorker, sendHeartbeat } from '@carillon/db';
import { useDatabase } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';

const database = useDatabase();

/** How long after its last heartbeat a worker counts as alive, by Postgres's clock, in whole seconds. */
async function readSecondsAlive(workerId: number): Promise<number> {
  const { rows } = await database.pool.query<{ seconds: number }>(
    `select round(extract(epoch from alive_until - heartbeat_at))::int as seconds from carillon.workers where id = $1`,
    [workerId],
  );
  return rows[0]?.seconds ?? 0;
}

describe('Heartbeats', () => {
  it.each([
    [5_000, 15],
    [60_000, 180],
  ])(
    'a worker that sends a heartbeat every %i ms counts as alive for %i s after each heartbeat, which is three intervals',
    async (heartbeatIntervalMs, seconds) => {
      const token = randomUUID();
      const { workerId } = await registerWorker(database.pool, {
        host: 'test',
        pid: 1,
        token,
        handlers: [],
        tzdata: 'unknown',
        heartbeatIntervalMs,
      });
      expect(await readSecondsAlive(workerId)).toBe(seconds);
      await database.pool.query('update carillon.workers set alive_until = now() where id = $1', [workerId]);
      const worker = { workerId, token, heartbeatIntervalMs, inFlight: 0, clockOffsetMs: 0 };
      await sendHeartbeat(database.pool, { ...worker, openCircuits: [], grown: [] });
      expect(await readSecondsAlive(workerId)).toBe(seconds);
    },
  );
});
