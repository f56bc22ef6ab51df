import type { DeadLetters, GroupCreates, PostgresWatch, SecretBox, Witness } from '@carillon/db';
import type { PostgresClock, RedisClient, Ringer, Waker } from '@carillon/queue';
import type { HealthFacts, ScheduleDefaults } from '@carillon/shared';
import type { Tracing } from '@carillon/telemetry';
import type { Pool } from 'pg';
import type { KeyCache } from './auth/key-cache.js';
import type { KeyThrottle } from './auth/key-throttle.js';
import type { UsageBus } from './auth/usage-bus.js';
import type { StreamLimits } from './events/stream-limiter.js';
import type { BackgroundCache } from './http/background-cache.js';
import type { HeavyWork } from './http/heavy-work.js';
import type { Counters } from './metrics/counters.js';
import type { Forecasts } from './schedules/forecasts.js';

/** The services that routes share. */
export interface ApiContext {
  pool: Pool;
  /** Logs each outage of Postgres once. */
  postgres: PostgresWatch;
  /** Null if this installation runs without Redis. */
  redis: RedisClient | null;
  /** The key prefix of BullMQ. */
  prefix: string;
  bells: Ringer;
  wakeUps: Waker;
  clock: PostgresClock;
  /**
   * Remembers the latest worker heartbeat that was read from Postgres. If Postgres lacks that heartbeat later, Postgres
   * has lost transactions.
   */
  witness: Witness;
  /** The facts that health is judged by, at most a second old. */
  health: () => Promise<HealthFacts>;
  /** A stopping replica is not ready. */
  lifecycle: { isStopping: boolean };
  keys: KeyCache;
  /** Looks up API keys, and limits failed lookups by client address. */
  throttle: KeyThrottle;
  /** Tells the other replicas how many requests, pings and feed reads this replica has counted against its limits. */
  usage: UsageBus;
  counters: Counters;
  /** Null unless OTEL_EXPORTER_OTLP_ENDPOINT is set. */
  tracing: Tracing | null;
  creates: GroupCreates;
  forecasts: Forecasts;
  /** Caches the dead letters by project and filter. */
  deadLetters: BackgroundCache<DeadLetters>;
  defaults: ScheduleDefaults;
  /** Encrypts secrets; null if CARILLON_ENCRYPTION_KEY is not set. */
  secrets: SecretBox | null;
  /** Maximum number of requests per minute of a project without a limit of its own; 0 for no limit. */
  requestsPerMinute: number;
  /** Maximum number of pings per minute for one schedule, on all replicas together. */
  pingsPerMinute: number;
  /** Limits of open event streams, on this replica alone. */
  streams: StreamLimits;
  /** Limits the number of bulk requests, backfills and other heavy requests that run at once. */
  heavy: HeavyWork;
  /** Local time of birthday messages, in the time zone of the user. */
  birthdayLocalTime: string;
}
