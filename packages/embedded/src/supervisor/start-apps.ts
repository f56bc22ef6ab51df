import type { Config } from '../config.js';
import { keepRunning } from '../keep-running.js';
import type { Servers } from '../start-servers.js';
import { checkPort } from './check-port.js';
import { type App, runApp } from './run-app.js';
import { localEncryptionKey } from './secrets.js';
import type { StopSignals } from './stop-signals.js';
import type { Terminal } from './terminal.js';
import { waitUntilReady } from './wait-until-ready.js';

/** The programs to run, absolute. */
export interface Entries {
  api: string;
  worker: string;
}

interface StartAppsOptions {
  root: string;
  entries: Entries;
  config: Config;
  servers: Servers;
  adminKey: string;
  screen: Terminal;
  signals: StopSignals;
}

/** Starts the API and the workers; resolves once the API is ready, or a signal has come before it was. */
export async function startApps(options: StartAppsOptions): Promise<{ url: string; stop(): Promise<void> }> {
  const { root, entries, config, servers, screen, signals } = options;
  const port = await checkPort(config.host, config.port);
  const url = `http://${reachableHost(config.host)}:${port}`;
  const env = await appEnvironment(options, port);
  const held = screen.held();
  const start = (app: App) =>
    runApp({ app, paths: servers.paths, cwd: root, env, log: held.log, hurry: signals.hurry });
  const apps = await Promise.all(
    appsOf(entries, config.workers).map(async (app) => ({ app, running: await start(app) })),
  );
  try {
    await waitUntilReady(url, apps, signals.stop);
  } catch (error) {
    await Promise.all(apps.map(({ running }) => running.stop()));
    throw error;
  }
  held.release();
  const kept = apps.map(({ app, running }) =>
    keepRunning({ name: app.name, running, start: () => start(app), log: screen }),
  );
  return {
    url,
    async stop() {
      await Promise.all(kept.map((app) => app.stop()));
    },
  };
}

async function appEnvironment({ config, servers, adminKey }: StartAppsOptions, port: number) {
  return {
    ...config.variables,
    HOST: config.host,
    PORT: String(port),
    DATABASE_URL: servers.databaseUrl,
    REDIS_URL: servers.redisUrl,
    CARILLON_ADMIN_KEY: adminKey,
    CARILLON_ENCRYPTION_KEY: config.encryptionKey ?? (await localEncryptionKey(servers.paths.home)),
    ALLOW_PRIVATE_TARGETS: config.allowPrivateTargets,
  };
}

function appsOf(entries: Entries, workers: number): App[] {
  const replicas = Array.from({ length: workers }, (_, index) => ({
    name: `worker-${index + 1}`,
    entry: entries.worker,
  }));
  return [{ name: 'api', entry: entries.api }, ...replicas];
}

/** An address to reach the API by; where it listens on all, this machine's own. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
