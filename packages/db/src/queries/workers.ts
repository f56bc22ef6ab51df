import type { Pool } from 'pg';
import { numberArray, textArray, toMs } from '../sql-text.js';

/** A replica signs on. Its number is its own for as long as the process lives. */
export async function registerWorker(
  pool: Pool,
  { host, pid }: { host: string; pid: number },
): Promise<number> {
  const { rows } = await pool.query<{ id: number }>(
    `insert into workers (host, pid) values ($1, $2) returning id`,
    [host, pid],
  );
  return (rows[0] as { id: number }).id;
}

export interface Counter {
  name: string;
  labels: string;
  value: number;
}

export interface Heartbeat {
  /** What Postgres's clock says. */
  nowAt: number;
  lastSweepAt: number | null;
}

/**
 * Everything that a replica has to say at regular intervals, in one statement: that it lives, what it has in hand, and
 * by how much its counters have grown since it last said so.
 */
const BEAT = `
  with beat as (
    update workers set heartbeat_at = clock_timestamp(), in_flight = $2 where id = $1
  ), counted as (
    insert into metrics (name, labels, value)
    select * from unnest($3::text[], $4::text[], $5::float8[]) as grown(name, labels, value) order by name, labels
    on conflict (name, labels) do update set value = metrics.value + excluded.value
  )
  select ${toMs('clock_timestamp()')} as now_at, (select ${toMs('last_at')} from sweeps) as last_sweep_at`;

export async function beat(
  pool: Pool,
  { workerId, inFlight, grown }: { workerId: number; inFlight: number; grown: readonly Counter[] },
): Promise<Heartbeat> {
  const { rows } = await pool.query<{ now_at: number; last_sweep_at: number | null }>({
    name: 'beat',
    text: BEAT,
    values: [
      workerId,
      inFlight,
      textArray(grown.map((counter) => counter.name)),
      textArray(grown.map((counter) => counter.labels)),
      numberArray(grown.map((counter) => counter.value)),
    ],
  });
  const [row] = rows as [(typeof rows)[number]];
  return { nowAt: row.now_at, lastSweepAt: row.last_sweep_at };
}

export async function signOff(pool: Pool, workerId: number): Promise<void> {
  await pool.query(`update workers set stopped_at = clock_timestamp(), in_flight = 0 where id = $1`, [
    workerId,
  ]);
}
