import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ADMIN_KEY, useDatabase, useProcesses } from '@carillon/testkit';
import { afterAll, beforeAll } from 'vitest';
import { carillonCommand } from '../src/cli/commands/index.js';
import { dispatch } from '../src/cli/dispatch.js';
import { plain } from '../src/cli/terminal.js';

const bin = fileURLToPath(new URL('../bin/carillon.mjs', import.meta.url));

export interface Ended {
  code: number | null;
  out: string;
  notes: string;
}

type Environment = Record<string, string>;

/** Runs the `carillon` command in tests, against an API and a worker, in a folder of its own. */
export function useCommand() {
  const database = useDatabase();
  const processes = useProcesses(database);
  const place = { url: '', folder: '' };

  beforeAll(async () => {
    const env = { CARILLON_ENCRYPTION_KEY: btoa('a key of exactly thirty-two byte') };
    const [api] = await Promise.all([processes.api({ env }), processes.worker({ env })]);
    place.url = api.url;
    place.folder = await mkdtemp(join(tmpdir(), 'carillon-command-'));
  });
  afterAll(() => rm(place.folder, { recursive: true, force: true }));

  const environment = (): Environment => ({
    CARILLON_URL: place.url,
    CARILLON_KEY: ADMIN_KEY,
    CARILLON_HOME: join(place.folder, 'none'),
  });

  /** Executes a command line. A string is split at spaces. */
  async function carillon(line: string | string[], env = environment()): Promise<Ended> {
    const said = collector();
    const terminal = { ...said, style: plain, columns: null, signal: new AbortController().signal };
    const args = typeof line === 'string' ? line.split(' ') : line;
    const code = await dispatch(carillonCommand, args, { terminal, env, version: '1.2.3' });
    return { code, ...said.said };
  }

  /** The JSON output of a command. */
  async function json(line: string) {
    const { code, out, notes } = await carillon(`${line} --json`);
    if (code !== 0) throw new Error(notes);
    return JSON.parse(out);
  }

  /** Starts the `carillon` command as a process of its own. */
  function start(args: string[], env = environment()) {
    const child = spawn(process.execPath, [bin, ...args], {
      cwd: place.folder,
      env,
    });
    const { said, out, note } = collector();
    child.stdout.on('data', out);
    child.stderr.on('data', note);
    const ended = once(child, 'close').then(([code]): Ended => ({ code, ...said }));
    return { child, said, ended };
  }

  return { place, database, carillon, json, start };
}

function collector() {
  const said = { out: '', notes: '' };
  const out = (text: string | Buffer) => {
    said.out += text;
  };
  const note = (text: string | Buffer) => {
    said.notes += text;
  };
  return { said, out, note };
}
