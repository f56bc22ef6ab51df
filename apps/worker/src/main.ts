import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { migrate } from '@carillon/db';
import { pino } from 'pino';
import { readConfig } from './config.js';
import { startWorker } from './worker.js';

/** A path counts from where the worker was started. */
const toUrl = (module: string) => (URL.canParse(module) ? module : pathToFileURL(resolve(module)).href);

const config = readConfig(process.env);
if ('problems' in config) {
  for (const problem of config.problems) console.error(`carillon worker: ${problem}`);
  process.exit(2);
}

const log = pino({ level: config.LOG_LEVEL, base: { app: 'worker', pid: process.pid } });
await migrate(config.DATABASE_URL);
if (config.CARILLON_HANDLERS) await import(toUrl(config.CARILLON_HANDLERS));
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
