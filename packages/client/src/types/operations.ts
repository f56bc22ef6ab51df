/** A worker replica. */
export interface WorkerReplica {
  id: number;
  host: string;
  pid: number;
  status: 'alive' | 'lost' | 'stopped';
  inFlight: number;
  startedAt: string;
  heartbeatAt: string;
  stoppedAt: string | null;
}

/** Drift and health in figures. */
export interface System {
  status: 'ok' | 'degraded';
  now: string;
  clockOffsetMs: number;
  redis: 'up' | 'down';
  workers: { alive: number; lost: number; inFlight: number };
  backlog: { schedules: number; runs: number; oldestDueAt: string | null };
  sweep: { lastAt: string | null; ageMs: number | null };
  drift: { overdue: number; missingBells: number; expiredLeases: number };
  bells: { armed: number | null };
  lateness: { count: number; p50Ms: number | null; p99Ms: number | null };
}

export interface Readiness {
  status: 'ok' | 'degraded' | 'down';
  postgres: 'up' | 'down';
  redis: 'up' | 'down';
}
