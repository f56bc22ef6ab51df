import { join } from 'node:path';
import { startOnFreePort } from '../free-port.js';
import type { HomePaths } from '../home.js';
import { type KeptProcess, keepRunning } from '../keep-running.js';
import type { Log } from '../log.js';
import { findPostgresBinaries, installedBinariesIn } from './binaries.js';
import { openCluster, POSTGRES_USER } from './cluster.js';
import { createDatabase, serverVersion } from './database.js';
import { endLeftoverPostgres } from './leftover.js';
import type { RunAs } from './run-as.js';
import { runPostgres } from './run-postgres.js';
import { type PostgresSettings, settingFlags } from './settings.js';

const DATABASE = 'carillon';

export interface EmbeddedPostgres extends KeptProcess {
  url: string;
  kind: string;
}

interface StartPostgresOptions {
  paths: HomePaths;
  settings: PostgresSettings;
  log: Log;
  /** The folder of another Postgres to run instead of the embedded one. */
  folder?: string | undefined;
  /** The ways to run a new cluster, best first. Default: every way that this machine may support. */
  ways?: RunAs[];
}

export async function startPostgres({
  paths,
  settings,
  log,
  folder,
  ways,
}: StartPostgresOptions): Promise<EmbeddedPostgres> {
  const binaries = folder === undefined ? findPostgresBinaries() : installedBinariesIn(folder);
  const cluster = await openCluster({
    paths,
    binaries,
    sync: settings.fsync !== 'off',
    ...(ways && { ways }),
  });
  if (await endLeftoverPostgres(cluster.dataDir))
    log.warn('Stopped a Postgres that an earlier start had left behind');

  const urlOf = (port: number, database: string) =>
    `postgres://${POSTGRES_USER}:${cluster.password}@127.0.0.1:${port}/${database}`;
  const start = (port: number) =>
    runPostgres({
      binaries,
      cluster,
      flags: ['-p', String(port), ...settingFlags(binaries, settings)],
      url: urlOf(port, 'postgres'),
      logFile: join(paths.logsDir, 'postgres.log'),
    });
  const { port, started } = await startOnFreePort(start);
  const kept = keepRunning({ name: 'Postgres', running: started, start: () => start(port), log });
  try {
    await createDatabase(urlOf(port, 'postgres'), DATABASE);
    const url = urlOf(port, DATABASE);
    const version = await serverVersion(url);
    return { url, kind: `embedded Postgres ${version}, run ${cluster.runAs.how}`, stop: kept.stop };
  } catch (error) {
    await kept.stop();
    throw error;
  }
}
