import { readConfig as readApiConfig, startApi } from '@carillon/api';
import { ADMIN_KEY, useDatabase } from '@carillon/testkit';
import { Registry, readConfig as readWorkerConfig, startWorker } from '@carillon/worker';
import type { HandlerDefinition } from '@carillon/worker/define';
import { pino } from 'pino';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { findChromium } from '../../scripts/chromium.mjs';
import { type MovedTime, useMovedTime } from './use-moved-time.js';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

interface SignInOptions extends BrowserContextOptions {
  key?: string;
  /** The page to open (default: the overview). */
  path?: string;
}

export interface Dashboard {
  readonly url: string;
  /** Opens a page in a new browser context, without a session. An error in its console fails the test. */
  open(options?: BrowserContextOptions): Promise<Page>;
  /**
   * Opens a page that is signed in. The first page of a key signs in by the form. Later pages of the same key are tabs
   * of the same browser context, which has cached the scripts already. A page with `BrowserContextOptions` gets a new
   * context with a copy of the session.
   */
  signIn(options?: SignInOptions): Promise<Page>;
  /** The admin key. */
  readonly key: string;
  /**
   * Ignores console errors that match this pattern. A test needs this if it causes a refused request, which the browser
   * reports as an error.
   */
  forgive(expected: RegExp): void;
  /** Calls the API with the admin key. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at a response field by field, and a missing field fails the test.
  call(method: string, path: string, body?: unknown): Promise<any>;
  /** The present time of the engine. */
  now(): number;
  /**
   * Advances the time of the engine. The dashboard must have a worker, and must have been started with the option
   * `now`.
   */
  advanceTo(at: string | number, lateMs?: (dueAt: number) => number): Promise<void>;
  /**
   * Computes statistics until those of the last hour are complete. A sweep of the worker would compute only ten minutes
   * of them, and the test may have advanced the time by days. The other work of a sweep is left out.
   */
  countStats(): Promise<void>;
}

interface Options {
  hasWorker?: boolean;
  /**
   * The time at which the engine and the browser begin. It stands still until the test advances it. Default: real time.
   */
  now?: string;
  handlers?: readonly HandlerDefinition[];
  /** A script that every page runs before its own scripts. */
  initScript?: string;
}

type Worker = Awaited<ReturnType<typeof startWorker>>;

/** Starts the API with the built dashboard, a worker and Chromium, for the test file that calls this. */
export function useDashboard({
  hasWorker = true,
  now,
  handlers = [],
  initScript = '',
}: Options = {}): Dashboard {
  const moved: MovedTime | null = now === undefined ? null : useMovedTime(now);
  const database = moved ?? useDatabase();
  const log = pino({ level: 'silent' });
  const stops: (() => Promise<unknown>)[] = [];
  const contexts: BrowserContext[] = [];
  const signedIn = new Map<string, Promise<BrowserContext>>();
  let problems: string[] = [];
  let browser: Browser;
  let worker: Worker | undefined;
  let url = '';

  beforeAll(async () => {
    const shared = {
      DATABASE_URL: database.url,
      REDIS_URL: database.redisUrl,
      REDIS_PREFIX: database.prefix,
      ALLOW_PRIVATE_TARGETS: 'true',
      CARILLON_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    };
    const localNow = moved?.now;
    const launched = chromium.launch({ executablePath: findChromium() ?? '/usr/bin/chromium', args: FLAGS });
    const api = await startApi(
      parsed(readApiConfig({ ...shared, PORT: '0', CARILLON_ADMIN_KEY: ADMIN_KEY })),
      log,
      { localNow },
    );
    stops.push(() => api.stop());
    url = api.url;
    if (hasWorker) {
      const config = readWorkerConfig({
        ...shared,
        SWEEP_INTERVAL_MS: '500',
        STOP_DEADLINE_MS: '200',
        // When the test advances the time, the sweep counts every bell (the wake-up in Redis for a due time) within the
        // horizon as missing. With a short horizon, these bells do not show up in the figures of the dashboard.
        ...(moved ? { ARM_HORIZON_MS: '1500' } : {}),
      });
      const registry = new Registry({ handlers, schedules: [] });
      worker = await startWorker(parsed(config), log, { localNow, registry });
      stops.push(() => (worker as Worker).stop());
    }
    browser = await launched;
  });
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
    for (const context of await Promise.all(signedIn.values()))
      await Promise.all(context.pages().map((page) => page.close()));
    const seen = problems;
    problems = [];
    expect(seen).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    for (const stop of stops.toReversed()) await stop();
  });

  const newContext = async (options: BrowserContextOptions): Promise<BrowserContext> => {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 860 },
      reducedMotion: 'reduce',
      ...options,
    });
    if (initScript !== '') await context.addInitScript(initScript);
    if (moved) await context.clock.setFixedTime(moved.now());
    // The browser reports a violation of the content security policy as a console error too.
    context.on('console', (message) => {
      if (message.type() === 'error') problems.push(`${message.page()?.url()}: ${message.text()}`);
    });
    context.on('weberror', (error) => problems.push(`${error.page()?.url()}: ${error.error().message}`));
    context.setDefaultTimeout(15_000);
    return context;
  };
  const ownContext = async (options: BrowserContextOptions): Promise<BrowserContext> => {
    const context = await newContext(options);
    contexts.push(context);
    return context;
  };
  const startSession = async (key: string): Promise<BrowserContext> => {
    const context = await newContext({});
    const page = await context.newPage();
    await page.goto(url);
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await page.close();
    return context;
  };
  const contextOf = (key: string): Promise<BrowserContext> => {
    const known = signedIn.get(key) ?? startSession(key);
    signedIn.set(key, known);
    return known;
  };

  return {
    get url() {
      return url;
    },
    async open(options = {}) {
      const page = await (await ownContext(options)).newPage();
      await page.goto(url);
      return page;
    },
    key: ADMIN_KEY,
    forgive(expected) {
      problems = problems.filter((problem) => !expected.test(problem));
    },
    async signIn({ key = ADMIN_KEY, path = '/', ...options } = {}) {
      const shared = await contextOf(key);
      const isOwn = Object.keys(options).length > 0;
      const context = isOwn
        ? await ownContext({ storageState: await shared.storageState(), ...options })
        : shared;
      const page = await context.newPage();
      await page.goto(url + path);
      await page.getByRole('main').waitFor();
      return page;
    },
    async call(method, path, body) {
      const response = await fetch(`${url}/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${ADMIN_KEY}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        // A test may pass the body as a string of JSON, because JSON.stringify would round integers beyond 2^53.
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return text === '' ? null : JSON.parse(text);
    },
    now: () => moved?.now() ?? Date.now(),
    async advanceTo(at, lateMs) {
      if (!moved || !worker) throw new Error('time moves only with a worker and a time of its own');
      await moved.advanceTo(at, worker, lateMs);
    },
    async countStats() {
      const to = this.now();
      const range = `from=${new Date(to - 3_600_000).toISOString()}&to=${new Date(to).toISOString()}`;
      if (!moved) throw new Error('statistics need a time of their own');
      while (!(await this.call('GET', `/stats?${range}&step=PT1M`)).complete)
        await moved.computeHourOfStats();
    },
  };
}

function parsed<T extends object>(config: T | { problems: string[] }): T {
  if ('problems' in config) throw new Error(config.problems.join());
  return config;
}

/** A request for a schedule that does not fire during a test, unless `more` changes its rule. */
export const scheduleBody = (id: string, more: object = {}) => ({
  id,
  name: `Schedule ${id}`,
  rule: { cron: '0 9 1 1 *' },
  target: { type: 'handler', name: 'noop' },
  ...more,
});
