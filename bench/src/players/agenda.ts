import { PostgresBackend } from '@agendajs/postgres-backend';
import { Agenda } from 'agenda';
import { AGENDA_JOB, AGENDA_SETTINGS } from '../contenders/agenda.js';
import type { Job } from '../harness/tally.js';
import { endOnSignal, readOrders } from './environment.js';

const { databaseUrl, tally } = readOrders();
const backend = new PostgresBackend({
  poolConfig: { connectionString: databaseUrl, max: 20 },
  // The bench has already created the tables. If two processes created them at the same time, they could conflict, and
  // one of them would exit.
  ensureSchema: false,
});
const agenda = new Agenda({ backend, ...AGENDA_SETTINGS });
agenda.on('error', (error) => console.error(error));
agenda.define<Job>(AGENDA_JOB, async (job) => tally.mark(job.attrs.data));
await agenda.start();
endOnSignal();
tally.ready();
