import { PostgresBackend } from '@agendajs/postgres-backend';
import { Agenda } from 'agenda';
import { AGENDA_JOB, AGENDA_SETTINGS } from '../contenders/agenda.js';
import type { Job } from '../harness/tally.js';
import { endOnSignal, readOrders } from './environment.js';

const { databaseUrl, tally } = readOrders();
const backend = new PostgresBackend({
  poolConfig: { connectionString: databaseUrl, max: 20 },
  // The bench has created the tables. Two processes that create them at the same moment can conflict, and one of them
  // then exits.
  ensureSchema: false,
});
const agenda = new Agenda({ backend, ...AGENDA_SETTINGS });
agenda.on('error', (error) => console.error(error));
agenda.define<Job>(AGENDA_JOB, async (job) => tally.mark(job.attrs.data));
await agenda.start();
endOnSignal();
tally.ready();
