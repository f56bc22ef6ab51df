import { once } from 'node:events';
import { type Config, readConfig } from '../config.js';
import { StartError } from '../start-error.js';
import { type Servers, startServers } from '../start-servers.js';
import { localAdminKey } from './secrets.js';
import { type Entries, startApps } from './start-apps.js';
import { listenForStop, type StopSignals } from './stop-signals.js';
import { type Terminal, terminal } from './terminal.js';

interface SuperviseOptions {
  /** The project's folder. */
  root: string;
  entries: Entries;
}

/** Everything behind `npm start`, until a signal ends it. Answers the exit code. */
export async function supervise({ root, entries }: SuperviseOptions): Promise<number> {
  const screen = terminal();
  const signals = listenForStop();
  try {
    const config = readConfig(root);
    const { databaseUrl, redisUrl, redis, searchPath, home } = config;
    const servers = await startServers({ home, databaseUrl, redisUrl, redis, searchPath, log: screen });
    try {
      await serve({ root, entries, config, servers, screen, signals });
    } finally {
      // Last, so that the apps can still write down how their deliveries went.
      await servers.stop();
    }
    return 0;
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    screen.warn(error.message);
    return 1;
  } finally {
    signals.release();
  }
}

interface ServeOptions extends SuperviseOptions {
  config: Config;
  servers: Servers;
  screen: Terminal;
  signals: StopSignals;
}

async function serve(options: ServeOptions): Promise<void> {
  const { config, servers, screen, signals } = options;
  if (signals.stop.aborted) return;
  const adminKey = config.adminKey ?? (await localAdminKey(servers.paths.home));
  const apps = await startApps({ ...options, adminKey });
  try {
    if (!signals.stop.aborted) {
      screen.info(announcement({ config, servers, url: apps.url, adminKey }));
      await once(signals.stop, 'abort');
    }
    screen.info('Stopping: deliveries under way get up to 20 seconds (Ctrl-C again to hurry)');
  } finally {
    await apps.stop();
  }
}

interface Announced {
  config: Config;
  servers: Servers;
  url: string;
  adminKey: string;
}

function announcement({ config, servers, url, adminKey }: Announced): string {
  return [
    `Carillon ready on ${url}`,
    `  API key   ${config.adminKey ? 'as set in CARILLON_ADMIN_KEY' : adminKey}`,
    `  Postgres  ${servers.postgresKind}`,
    `  Redis     ${servers.redisKind}`,
    `  Workers   ${config.workers}`,
    `  Data      ${servers.paths.home}`,
    `  Logs      ${servers.paths.logsDir}`,
  ].join('\n');
}
