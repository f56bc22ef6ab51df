import { migrate } from '@carillon/db';
import { pino } from 'pino';
import { readConfig } from './config.js';
import { startApi } from './server.js';

const config = readConfig(process.env);
if ('problems' in config) {
  for (const problem of config.problems) console.error(`carillon api: ${problem}`);
  process.exit(2);
}

const log = pino({ level: config.LOG_LEVEL, base: { app: 'api', pid: process.pid } });
await migrate(config.DATABASE_URL);
const api = await startApi(config, log);

let isStopping = false;
const stop = async () => {
  if (isStopping) return;
  isStopping = true;
  await api.stop();
  process.exit(0);
};
process.on('SIGINT', stop);
process.on('SIGTERM', stop);
