import type { Bells, PostgresClock } from '@carillon/queue';
import type { ScheduleDefaults } from '@carillon/shared';
import type { Pool } from 'pg';

/** What every route shares. */
export interface ApiContext {
  pool: Pool;
  bells: Bells;
  clock: PostgresClock;
  defaults: ScheduleDefaults;
}
