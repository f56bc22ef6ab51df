import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, inject } from 'vitest';
import { poolerSettings } from './chosen-servers.js';
import type { TestDatabase } from './database.js';
import { eventually } from './eventually.js';

/** Settings with short intervals, so that the worker recovers from a fault within seconds instead of half a minute. */
export const QUICK_SETTINGS = {
  SWEEP_INTERVAL_MS: '500',
  ARM_HORIZON_MS: '10000',
  LEASE_MS: '2000',
  STOP_DEADLINE_MS: '3000',
};

/** The program of an app, which global-setup has bundled. */
const mainOf = (app: 'api' | 'worker') => join(inject('apps'), `${app}.mjs`);

export const ADMIN_KEY = 'ck_test_admin_key_0123456789';

/** Maximum time for a process to start. It is long, because several processes may start together on a busy machine. */
const STARTED = { withinMs: 90_000 };

/**
 * Waits for the log line that says that a program is ready. A program that does not write it in time is killed, because
 * it would disturb later tests.
 */
function startedOrEnded(program: TestProcess, msg: string): Promise<LogLine> {
  return program.logged(msg, STARTED).catch(async (error) => {
    await program.end('SIGKILL');
    throw error;
  });
}

/** A line of a program's log. */
export type LogLine = Record<string, unknown> & { msg?: string };

/** A process of Carillon and its log lines. */
export class TestProcess {
  readonly lines: LogLine[] = [];
  #rest = '';
  #isEnding = false;

  constructor(readonly child: ChildProcess) {
    const read = (chunk: Buffer) => {
      const lines = (this.#rest + chunk.toString()).split('\n');
      this.#rest = lines.pop() ?? '';
      for (const line of lines) this.lines.push(line.startsWith('{') ? JSON.parse(line) : { msg: line });
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
  }

  get pid(): number {
    return this.child.pid as number;
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Waits for a line of the log. */
  logged(msg: string, { withinMs = 20_000 } = {}): Promise<LogLine> {
    return eventually(
      () => {
        const line = this.lines.find((line) => line.msg === msg);
        if (!line && !this.isRunning)
          throw new Error(`the process ended: ${JSON.stringify(this.lines.slice(-5))}`);
        return line;
      },
      { what: `"${msg}" in the log`, withinMs },
    );
  }

  /** True if the process has ended although no test stopped it. */
  get hasCrashed(): boolean {
    return !this.isRunning && !this.#isEnding;
  }

  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (!this.isRunning) return;
    this.#isEnding = true;
    const exited = once(this.child, 'exit');
    this.child.kill(signal);
    await exited;
  }
}

export interface ProcessOptions {
  /**
   * Settings of this process. A module that CARILLON_HANDLERS names should import `@carillon/worker/define`: an import
   * of `@carillon/worker` would load the whole worker a second time, from its many files, which takes two seconds of
   * CPU time.
   */
  env?: Record<string, string>;
  /** Further arguments for node, such as a module to load first. */
  nodeArguments?: string[];
  /** The path of another program to run instead, such as one of an earlier build. */
  main?: string;
}

export type TestApi = TestProcess & { url: string };

/** Starts processes on a test database, and stops them when the test file ends. */
export function useProcesses(database: TestDatabase) {
  const processes = new Processes((env) => ({
    ...databaseSettings(database, env),
    REDIS_URL: database.redisUrl,
    REDIS_PREFIX: database.prefix,
  }));
  afterAll(() => processes.endAll());
  return processes;
}

/**
 * Settings for the database of a test, by way of PgBouncer if the tests run through it. The settings for PgBouncer are
 * left out for a process that has a DATABASE_URL of its own.
 */
export const databaseSettings = ({ pooledUrl, url }: TestDatabase, env: Record<string, string>) => ({
  DATABASE_URL: pooledUrl,
  ...(pooledUrl === url || env.DATABASE_URL !== undefined ? {} : poolerSettings(url)),
});

/** Starts processes that share an environment. */
export class Processes {
  readonly #started: TestProcess[] = [];

  /**
   * `environment` returns the settings that all processes share. It is called with the settings of one process, which
   * override the shared ones.
   */
  constructor(private readonly environment: (env: Record<string, string>) => Record<string, string>) {}

  async worker(options: ProcessOptions = {}): Promise<TestProcess> {
    const worker = this.#start(options.main ?? mainOf('worker'), options);
    await startedOrEnded(worker, 'Worker ready');
    return worker;
  }

  async api(options: ProcessOptions = {}): Promise<TestApi> {
    const env = { PORT: '0', ...options.env };
    const api = this.#start(options.main ?? mainOf('api'), { ...options, env });
    const { url } = await startedOrEnded(api, 'API ready');
    return Object.assign(api, { url: url as string });
  }

  async endAll(): Promise<void> {
    await Promise.all(this.#started.map((process) => process.end('SIGKILL')));
  }

  #start(main: string, { env = {}, nodeArguments = [] }: ProcessOptions): TestProcess {
    const child = spawn(process.execPath, [...nodeArguments, main], {
      env: {
        ...process.env,
        ...QUICK_SETTINGS,
        ALLOW_PRIVATE_TARGETS: 'true',
        CARILLON_ADMIN_KEY: ADMIN_KEY,
        ...this.environment(env),
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const started = new TestProcess(child);
    this.#started.push(started);
    return started;
  }
}
