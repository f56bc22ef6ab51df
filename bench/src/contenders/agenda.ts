import { fileURLToPath } from 'node:url';
import { PostgresBackend } from '@agendajs/postgres-backend';
import { Agenda } from 'agenda';
import pg from 'pg';
import { closePool } from '../harness/connections.js';
import { type Contender, PLAYERS_EACH, versionOf } from './contender.js';

export const AGENDA_JOB = 'job';
export const AGENDA_SETTINGS = {
  processEvery: 100,
  maxConcurrency: 1_000,
  defaultConcurrency: 500,
  // 0 means no limit: Agenda may lock any number of jobs ahead.
  defaultLockLimit: 0,
};

/** Agenda with its Postgres backend. It locks jobs one at a time. */
export const agenda: Contender = {
  name: 'Agenda on Postgres',
  version: versionOf('agenda'),
  settings: `${PLAYERS_EACH} processes, concurrency ${AGENDA_SETTINGS.defaultConcurrency}, looks every ${AGENDA_SETTINGS.processEvery} ms, LISTEN/NOTIFY`,
  keepsHistory: true,
  seedMs: (jobs) => jobs * 0.1,
  share: 0.05,
  async open({ databaseUrl }) {
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 });
    const maker = new Agenda({ backend: new PostgresBackend({ pool }) });
    await maker.ready;
    return {
      crew: {
        main: fileURLToPath(new URL('../players/agenda.js', import.meta.url)),
        processes: PLAYERS_EACH,
        env: {},
      },
      // Agenda has no bulk insert, so the bench inserts the rows itself. Inserting is not part of the measurement.
      async seed(jobs) {
        await pool.query(
          `insert into agenda_jobs (name, next_run_at, data)
           select $1, to_timestamp((job->>'at')::float8 / 1000), job from json_array_elements($2::json) as job`,
          [AGENDA_JOB, JSON.stringify(jobs)],
        );
      },
      async areJobsDone() {
        const { rowCount } = await pool.query(
          'select from agenda_jobs where next_run_at is not null or last_finished_at is null limit 1',
        );
        return rowCount === 0;
      },
      async findFaults(jobs) {
        const { rows } = await pool.query<{ finished: number }>(
          'select count(*)::int as finished from agenda_jobs where last_finished_at is not null and failed_at is null',
        );
        const finished = rows[0]?.finished ?? 0;
        return finished === jobs.length ? [] : [`${finished} of ${jobs.length} jobs are finished`];
      },
      async close() {
        await maker.stop();
        await closePool(pool);
      },
    };
  },
};
