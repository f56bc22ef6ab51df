import { migrate } from '@carillon/db';
import { pino } from 'pino';
import { readConfig } from './config.js';
import { startWorker } from './worker.js';

const config = readConfig(process.env);
if ('problems' in config) {
  for (const problem of config.problems) console.error(`carillon worker: ${problem}`);
  process.exit(2);
}

const log = pino({ level: config.LOG_LEVEL, base: { app: 'worker', pid: process.pid } });
await migrate(config.DATABASE_URL);
if (config.CARILLON_HANDLERS) await import(config.CARILLON_HANDLERS);
const worker = await startWorker(config, log);

let isStopping = false;
const stop = async () => {
  if (isStopping) return;
  isStopping = true;
  await worker.stop();
  process.exit(0);
};
process.on('SIGINT', stop);
process.on('SIGTERM', stop);
