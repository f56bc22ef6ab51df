import { createServer } from 'node:net';
import type { Config } from '../config.js';
import { keepRunning } from '../keep-running.js';
import { StartError } from '../start-error.js';
import type { Servers } from '../start-servers.js';
import { type App, runApp } from './run-app.js';
import { localEncryptionKey } from './secrets.js';
import type { StopSignals } from './stop-signals.js';
import type { Terminal } from './terminal.js';
import { waitUntilReady } from './wait-until-ready.js';

/** The absolute paths of the programs. */
export interface ProgramPaths {
  api: string;
  worker: string;
}

interface StartAppsOptions {
  root: string;
  entries: ProgramPaths;
  config: Config;
  servers: Servers;
  adminKey: string;
  screen: Terminal;
  signals: StopSignals;
}

/** Starts the API and the workers; resolves when the API is ready, or when a signal arrives before that. */
export async function startApps(options: StartAppsOptions): Promise<{ url: string; stop(): Promise<void> }> {
  const { root, entries, config, servers, screen, signals } = options;
  const port = await checkPort(config.host, config.port);
  const url = `http://${reachableHost(config.host)}:${port}`;
  const env = { PUBLIC_URL: url, ...(await appEnvironment(options, port)) };
  const held = screen.held();
  const start = (app: App) =>
    runApp({ app, paths: servers.paths, cwd: root, env, log: held.log, hurry: signals.hurry });
  const apps = await Promise.all(
    appsOf(entries, config).map(async (app) => ({ app, running: await start(app) })),
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
    // If DATABASE_URL is given, other machines may use that database too. The key that this machine has generated must
    // not replace their admin key.
    CARILLON_ADMIN_KEY_IS_GENERATED: String(
      config.adminKey === undefined && config.databaseUrl !== undefined,
    ),
    CARILLON_ENCRYPTION_KEY: config.encryptionKey ?? (await localEncryptionKey(servers.paths.home)),
    ALLOW_PRIVATE_TARGETS: config.allowPrivateTargets,
    CARILLON_WATCH: config.watch,
  };
}

function appsOf(entries: ProgramPaths, { workers, workerPort }: Config): App[] {
  const replicas = Array.from({ length: workers }, (_, index) => ({
    name: `worker-${index + 1}`,
    entry: entries.worker,
    // The workers of one machine can't share a port, so each one listens on the port after the previous one.
    env: workerPort ? { WORKER_PORT: String(workerPort + index) } : {},
  }));
  return [{ name: 'api', entry: entries.api }, ...replicas];
}

/** The address of the API. If it listens on all interfaces, this is the loopback address. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

const PORT_PROBLEMS: Record<string, (host: string, port: number) => string> = {
  EADDRINUSE: (host, port) => `PORT ${port} is taken on ${host}: set PORT to a free one`,
  EACCES: (_host, port) => `PORT ${port} is reserved for the system: set PORT to one above 1023`,
  EADDRNOTAVAIL: (host) => `HOST ${host} is not an address of this machine: set HOST to one that is`,
  ENOTFOUND: (host) => `HOST ${host} is not known: set HOST to an address of this machine`,
};

/** Returns the port for the API: the requested port, or a free port if 0 was requested. */
function checkPort(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = PORT_PROBLEMS[error.code ?? ''];
      reject(reason ? new StartError(reason(host, port)) : error);
    });
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address();
      const bound = typeof address === 'object' && address !== null ? address.port : port;
      server.close(() => resolve(bound));
    });
  });
}
