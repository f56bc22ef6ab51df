import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '@carillon/db';
import { freePort } from '@carillon/embedded';
import { eventually } from './eventually.js';

/** Finds PgBouncer, or installs it if possible. Returns false if there is no PgBouncer. */
export function ensurePgbouncer(): boolean {
  if (isInstalled()) return true;
  if (process.getuid?.() !== 0) return false;
  try {
    // With this RUNLEVEL, the package does not start PgBouncer as a service.
    const quietly = ['DEBIAN_FRONTEND=noninteractive', 'RUNLEVEL=1'];
    const install = ['apt-get', 'install', '-y', '--no-install-recommends', 'pgbouncer'];
    execFileSync('env', [...quietly, ...install], { stdio: 'pipe' });
  } catch {
    return false;
  }
  return isInstalled();
}

/** The path of Debian's package. Its folder is not on the PATH of every user. */
const PROGRAM = '/usr/sbin/pgbouncer';
const isInstalled = () => existsSync(PROGRAM);

/**
 * A PgBouncer in transaction mode. It opens at most 12 connections to each database. Carillon opens more than 12 to
 * PgBouncer.
 */
export class Pgbouncer {
  #child: ChildProcess | null = null;

  private constructor(
    readonly url: string,
    private readonly folder: string,
  ) {}

  static async start(databaseUrl: string): Promise<Pgbouncer> {
    const { hostname, port, username, password } = new URL(databaseUrl);
    const folder = await mkdtemp(join(tmpdir(), 'carillon-pgbouncer-'));
    await chmod(folder, 0o755);
    const listenPort = await freePort();
    await writeFile(join(folder, 'users.txt'), `"${username}" "${password}"\n`);
    await writeFile(
      join(folder, 'pgbouncer.ini'),
      [
        '[databases]',
        `* = host=${hostname} port=${port}`,
        '[pgbouncer]',
        'listen_addr = 127.0.0.1',
        `listen_port = ${listenPort}`,
        'unix_socket_dir =',
        'auth_type = trust',
        `auth_file = ${join(folder, 'users.txt')}`,
        'pool_mode = transaction',
        'default_pool_size = 12',
        'max_client_conn = 500',
      ].join('\n'),
    );
    const url = Object.assign(new URL(databaseUrl), { port: String(listenPort) }).toString();
    const pgbouncer = new Pgbouncer(url, folder);
    await pgbouncer.#run();
    return pgbouncer;
  }

  /** Starts PgBouncer again after `kill`. */
  startAgain(): Promise<void> {
    return this.#run();
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }

  async #run(): Promise<void> {
    const isRoot = process.getuid?.() === 0;
    this.#child = spawn(PROGRAM, [join(this.folder, 'pgbouncer.ini')], {
      stdio: 'ignore',
      // PgBouncer refuses to run as root.
      ...(isRoot && { uid: NOBODY, gid: NOBODY }),
    });
    const pool = openDatabase({ url: this.url, max: 1, applicationName: 'faults', onError: () => {} });
    await eventually(() => pool.query('select 1').catch(() => null), { what: 'PgBouncer' });
    await pool.end();
  }

  /** Ends PgBouncer with all of its connections. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }
}

const NOBODY = 65_534;
