import { fileURLToPath } from 'node:url';
import {
  explainCertificate,
  migrate,
  UnsupportedDatabase,
  verifyMigrated,
  verifyPooler,
  WrongEncryptionKey,
} from '@carillon/db';
import { LOG_SERIALIZERS } from '@carillon/telemetry';
import { pino } from 'pino';
import { readConfig } from './config.js';
import { DefinitionRefused } from './define.js';
import { suspectHandlers } from './delivery/targets/handler.js';
import { loadHandlers, UnusableModule, urlOf } from './load-handlers.js';
import { Registry } from './registry.js';
import { watchHandlers } from './watch-handlers.js';
import { type RunningWorker, startWorker } from './worker.js';

const config = readConfig(process.env);
if ('problems' in config) {
  for (const problem of config.problems) console.error(`carillon worker: ${problem}`);
  process.exit(2);
}

const log = pino({
  level: config.LOG_LEVEL,
  base: { app: 'worker', pid: process.pid },
  serializers: LOG_SERIALIZERS,
});
const { DATABASE_DIRECT_URL = config.DATABASE_URL, DATABASE_SCHEMA: schema, CARILLON_HANDLERS } = config;
const exit = process.exit.bind(process);
let starting: Promise<RunningWorker> | null = null;
let isStopping = false;

const stop = async (exitCode: number) => {
  if (isStopping) return;
  isStopping = true;
  // A worker that is still starting may have claimed runs already. Its stop lets these runs end, or hands them back for
  // other workers to claim.
  await (await starting)?.stop();
  exit(exitCode);
};

/**
 * Stops the worker after a handler left a rejection unhandled, threw in a timer, or called `process.exit`. The state of
 * the process is unknown. So the worker takes no more runs, lets deliveries end, hands back the other runs for other
 * workers to claim, and exits. Its supervisor starts a new process.
 */
const stopAfterError = (error: unknown) => {
  const handlers = suspectHandlers();
  log.fatal(
    { err: error, handlers },
    'Unhandled error, probably in one of these handlers: this worker stops',
  );
  stop(1);
};

/**
 * Installed before the worker starts, because a starting worker already claims runs. While runs are in flight, neither
 * a signal nor a handler may end the process at once.
 */
const guardRuns = () => {
  process.on('SIGINT', () => stop(0));
  process.on('SIGTERM', () => stop(0));
  process.on('uncaughtException', stopAfterError);
  process.on('unhandledRejection', stopAfterError);
  // If a handler's `process.exit` ended the process, the runs of all other handlers would end too. Instead, the run of
  // this handler fails and the worker stops gracefully.
  process.exit = (code) => {
    const error = new Error(
      `process.exit(${code ?? ''}) was called in a worker: a handler must throw instead`,
    );
    stopAfterError(error);
    throw error;
  };
};

/** The exit code after which the supervisor restarts a worker at once: see `packages/embedded/src/keep-running.ts`. */
const RELOAD_EXIT_CODE = 75;

/**
 * Stops the worker when the code of its handlers changes. Its runs end, or are handed back for other workers to claim,
 * and a new process imports the new code.
 */
const reloadOnChange = (module: string) => {
  const url = urlOf(module);
  if (url.protocol !== 'file:') return;
  watchHandlers(fileURLToPath(url), (file) => {
    log.info(
      { file },
      'Handlers changed: this worker stops, and its supervisor starts one with the new code',
    );
    stop(RELOAD_EXIT_CODE);
  });
};

/** The operator can fix these errors, so they are printed as one line instead of a stack trace. */
const FOR_OPERATOR = [UnsupportedDatabase, WrongEncryptionKey, UnusableModule, DefinitionRefused];

try {
  await verifyPooler({
    server: config.DATABASE_URL,
    hasDirectUrl: config.DATABASE_DIRECT_URL !== undefined,
    usesPreparedStatements: config.DATABASE_PREPARED_STATEMENTS,
  });
  if (config.MIGRATE_ON_START) await migrate(DATABASE_DIRECT_URL, { schema });
  else await verifyMigrated(config.DATABASE_URL, { schema });
  const defined = await loadHandlers(CARILLON_HANDLERS);
  if (CARILLON_HANDLERS && defined.handlers.length + defined.schedules.length === 0)
    log.warn(
      { module: CARILLON_HANDLERS },
      'The module of handlers has called neither defineHandler nor defineSchedule of this installation of carillon',
    );
  starting = startWorker(config, log, { registry: new Registry(defined) });
  guardRuns();
  await starting;
  if (config.CARILLON_WATCH && CARILLON_HANDLERS) reloadOnChange(CARILLON_HANDLERS);
} catch (error) {
  const isForOperator = FOR_OPERATOR.some((kind) => error instanceof kind);
  const problem = isForOperator ? (error as Error).message : explainCertificate(error);
  console.error(problem === null ? error : `carillon worker: ${problem}`);
  exit(problem === null ? 1 : 2);
}
