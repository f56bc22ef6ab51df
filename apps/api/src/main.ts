import {
  explainCertificate,
  migrate,
  UnsupportedDatabase,
  verifyMigrated,
  verifyPooler,
  WrongAdminKey,
  WrongEncryptionKey,
} from '@carillon/db';
import { pino } from 'pino';
import { readConfig } from './config.js';
import { startApi } from './server.js';

const config = readConfig(process.env);
if ('problems' in config) {
  for (const problem of config.problems) console.error(`carillon api: ${problem}`);
  process.exit(2);
}

/** The operator can fix these errors, so they are printed as one line instead of a stack trace. */
const FOR_OPERATOR = [UnsupportedDatabase, WrongAdminKey, WrongEncryptionKey];

const log = pino({ level: config.LOG_LEVEL, base: { app: 'api', pid: process.pid } });
const { DATABASE_DIRECT_URL = config.DATABASE_URL, DATABASE_SCHEMA: schema } = config;
const api = await verifyPooler({
  server: config.DATABASE_URL,
  hasDirectUrl: config.DATABASE_DIRECT_URL !== undefined,
  usesPreparedStatements: config.DATABASE_PREPARED_STATEMENTS,
})
  .then(() =>
    config.MIGRATE_ON_START
      ? migrate(DATABASE_DIRECT_URL, { schema })
      : verifyMigrated(config.DATABASE_URL, { schema }),
  )
  .then(() => startApi(config, log))
  .catch((error: unknown) => {
    const isForOperator = FOR_OPERATOR.some((kind) => error instanceof kind);
    const problem = isForOperator ? (error as Error).message : explainCertificate(error);
    if (problem === null) throw error;
    console.error(`carillon api: ${problem}`);
    process.exit(2);
  });

let isStopping = false;
const stop = async () => {
  if (isStopping) return;
  isStopping = true;
  await api.stop();
  process.exit(0);
};
process.on('SIGINT', stop);
process.on('SIGTERM', stop);
