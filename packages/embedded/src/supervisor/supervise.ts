import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { type Config, readConfig } from '../config.js';
import { writePrivately } from '../home.js';
import { diskFull, isDiskFull, StartError } from '../start-error.js';
import { type Servers, startServers } from '../start-servers.js';
import { longestStopMs } from './longest-stop.js';
import { localAdminKey } from './secrets.js';
import { type ProgramPaths, startApps } from './start-apps.js';
import { listenForStop, type StopSignals } from './stop-signals.js';
import { type Terminal, terminal } from './terminal.js';

interface SuperviseOptions {
  /** The project's folder. */
  root: string;
  entries: ProgramPaths;
}

/** Runs everything behind `npm start` until a signal ends it. Returns the exit code. */
export async function supervise({ root, entries }: SuperviseOptions): Promise<number> {
  const screen = terminal();
  const signals = listenForStop();
  let home = root;
  try {
    const config = readConfig(root);
    const { databaseUrl, redisUrl, redis, searchPath } = config;
    home = config.home;
    const servers = await startServers({ home, databaseUrl, redisUrl, redis, searchPath, log: screen });
    try {
      await serve({ root, entries, config, servers, screen, signals });
    } finally {
      // The servers are stopped last, so that the apps can still record the results of their deliveries.
      await servers.stop();
    }
    return 0;
  } catch (error) {
    const refused = explained(error, home);
    if (!refused) throw error;
    screen.warn(refused.message);
    return 1;
  } finally {
    signals.release();
  }
}

/** The error as a StartError, whose message tells the person at the terminal what to do; null for any other error. */
function explained(error: unknown, home: string): StartError | null {
  if (error instanceof StartError) return error;
  return isDiskFull((error as NodeJS.ErrnoException).code ?? '') ? diskFull(home) : null;
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
      // The command `carillon` reads the address from here.
      await writePrivately(servers.paths.apiUrl, apps.url);
      screen.info(announcement({ config, servers, url: apps.url, adminKey }));
      await once(signals.stop, 'abort');
    }
    const seconds = Math.ceil(longestStopMs(config.variables) / 1_000);
    screen.info(
      `Stopping: deliveries in flight may end, so this can take ${seconds} seconds (Ctrl-C again to hurry)`,
    );
  } finally {
    await rm(servers.paths.apiUrl, { force: true });
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
    `  Dashboard ${url}/`,
    `  API key   ${config.adminKey ? 'as set in CARILLON_ADMIN_KEY' : adminKey}`,
    `  Postgres  ${servers.postgresKind}`,
    `  Redis     ${servers.redisKind}`,
    `  Workers   ${config.workers}`,
    `  Data      ${servers.paths.home}`,
    `  Logs      ${servers.paths.logsDir}`,
  ].join('\n');
}
