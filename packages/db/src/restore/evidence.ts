import type { Database } from '../database.js';
import { FORGOTTEN_AFTER_DAYS } from '../engine/workers.js';
import { NOW } from '../instants.js';
import { statement } from '../statement.js';

/**
 * A heartbeat that Postgres has committed, remembered outside Postgres: in the memory of a process, and in Redis. A
 * Postgres that does not have it has lost transactions.
 */
export interface Evidence {
  installationId: string;
  generation: number;
  workerId: number;
  token: string;
  beats: number;
  /** When the heartbeat was sent, by Postgres's clock. */
  at: number;
}

/**
 * `superseded`: an operator has decided about a restore since. `unknown`: the worker is so old that its row was
 * deleted.
 */
export type EvidenceVerdict = 'intact' | 'lost' | 'superseded' | 'unknown';

interface Known {
  generation: number;
  beats: number | null;
  nowAt: number;
}

const selectKnown = statement<{ workerId: number; token: string; now: number | null }, Known>(
  'read-evidence',
  `select i.generation, w.beats, ${NOW} as "nowAt"
   from carillon.installation i left join carillon.workers w on w.id = :workerId and w.token = :token`,
);

const DAY_MS = 86_400_000;

/** Says whether Postgres still has a heartbeat. Its clock does not matter: heartbeats are counted. */
export async function judgeEvidence(db: Database, evidence: Evidence): Promise<EvidenceVerdict> {
  const { workerId, token, at } = evidence;
  const [known] = await selectKnown(db, { workerId, token, now: null });
  if (!known) return 'lost';
  const { generation, beats, nowAt } = known;
  if (generation > evidence.generation) return 'superseded';
  if (generation < evidence.generation) return 'lost';
  if (beats !== null) return beats >= evidence.beats ? 'intact' : 'lost';
  return nowAt - at > FORGOTTEN_AFTER_DAYS * DAY_MS ? 'unknown' : 'lost';
}

const selectLatest = statement<object, Evidence>(
  'read-latest-evidence',
  `select i.id as "installationId", i.generation, w.id as "workerId", w.token, w.beats, w.heartbeat_at as at
   from carillon.installation i, lateral (
     select id, token, beats, heartbeat_at from carillon.workers order by heartbeat_at desc limit 1
   ) as w`,
);

/** The latest heartbeat of any worker; null if there was none. */
export async function readLatestEvidence(db: Database): Promise<Evidence | null> {
  const [evidence] = await selectLatest(db, {});
  return evidence ?? null;
}
