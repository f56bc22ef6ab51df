import { readConfig as readApiConfig, startApi } from '@carillon/api';
import {
  ADMIN_KEY,
  databaseSettings,
  eventually,
  type LogLine,
  QUICK_SETTINGS,
  type TestDatabase,
} from '@carillon/testkit';
import { readConfig as readWorkerConfig, startWorker } from '@carillon/worker';
import { pino } from 'pino';
import { afterAll } from 'vitest';

interface Options {
  env?: Record<string, string>;
}

/** An API or a worker that runs in this process, and its log lines. */
export interface Program {
  readonly lines: readonly LogLine[];
  /** Waits for a line of the log. */
  logged(msg: string): Promise<LogLine>;
  /** Stops the program gracefully, as SIGTERM would stop a process. */
  end(): Promise<void>;
}

/**
 * Starts APIs and workers on a test database inside this process, and stops them when the test file ends. That saves
 * the second of CPU time that each separate process takes to start. Only a test that sends a signal, kills a program,
 * loads handlers or changes a clock needs processes: it uses `useProcesses`.
 */
export function usePrograms(database: TestDatabase) {
  const started: Program[] = [];
  const settings = ({ env = {} }: Options) => ({
    ...QUICK_SETTINGS,
    // All programs share one event loop, which may be busy for seconds. The lease is long, so that no worker loses it
    // meanwhile. Otherwise another worker would deliver the same runs a second time.
    LEASE_MS: '15000',
    ALLOW_PRIVATE_TARGETS: 'true',
    ...databaseSettings(database, env),
    REDIS_URL: database.redisUrl,
    REDIS_PREFIX: database.prefix,
    ...env,
  });
  const keep = <P extends Program>(program: P): P => {
    started.push(program);
    return program;
  };
  afterAll(async () => {
    await Promise.all(started.map((program) => program.end()));
  });

  return {
    async api(options: Options = {}): Promise<Program & { url: string }> {
      const config = parsed(
        readApiConfig({ PORT: '0', CARILLON_ADMIN_KEY: ADMIN_KEY, ...settings(options) }),
      );
      const { log, lines } = keepLines('api', config.LOG_LEVEL);
      const { url, stop } = await startApi(config, log);
      return keep({ ...programOf(lines, stop), url });
    },
    async worker(options: Options = {}): Promise<Program> {
      const config = parsed(readWorkerConfig(settings(options)));
      const { log, lines } = keepLines('worker', config.LOG_LEVEL);
      const { stop } = await startWorker(config, log);
      return keep(programOf(lines, stop));
    },
  };
}

function programOf(lines: readonly LogLine[], stop: () => Promise<void>): Program {
  let stopping: Promise<void> | null = null;
  return {
    lines,
    logged: (msg) =>
      eventually(() => lines.find((line) => line.msg === msg), { what: `"${msg}" in the log` }),
    end() {
      stopping ??= stop();
      return stopping;
    },
  };
}

function keepLines(app: string, level: string) {
  const lines: LogLine[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line));
  return { log: pino({ level, base: { app } }, { write }), lines };
}

function parsed<Config extends object>(config: Config | { problems: string[] }): Config {
  if ('problems' in config) throw new Error(config.problems.join());
  return config;
}
