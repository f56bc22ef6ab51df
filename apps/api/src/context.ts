import type { Creations, SecretBox } from '@carillon/db';
import type { Bells, Pokes, PostgresClock } from '@carillon/queue';
import type { ScheduleDefaults } from '@carillon/shared';
import type { Redis } from 'ioredis';
import type { Pool } from 'pg';
import type { Counters } from './counters.js';
import type { KeyRing } from './key-ring.js';

/** What every route shares. */
export interface ApiContext {
  pool: Pool;
  redis: Redis;
  /** BullMQ's. */
  prefix: string;
  bells: Bells;
  pokes: Pokes;
  clock: PostgresClock;
  keys: KeyRing;
  counters: Counters;
  creations: Creations;
  defaults: ScheduleDefaults;
  /** Seals the secrets of schedules; null where the installation has no key for it. */
  secrets: SecretBox | null;
  /** Requests per minute and key where the project says nothing; 0 for no limit. */
  requestsPerMinute: number;
  /** When people are greeted, on the clock of their own zone. */
  birthdayLocalTime: string;
}
