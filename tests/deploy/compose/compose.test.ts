import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually, freePort, useDatabase } from '@carillon/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { promtool } from '../../prometheus/promtool.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const { services } = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true });
const database = useDatabase();

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-compose-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs a program and returns its standard output; null if it fails. */
function outputOf(program: string, args: readonly string[], env: Record<string, string> = {}): string | null {
  try {
    return execFileSync(program, args, {
      env: { ...process.env, ...env },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return null;
  }
}

describe('The servers of docker-compose.yml, outside a container', () => {
  it('the redis-server command of docker-compose.yml starts a Redis that keeps all keys, and its health check passes only while it runs', async () => {
    const port = String(await freePort());
    const [program, ...args] = services.redis.command as [string, ...string[]];
    const [how, client, ...words] = services.redis.healthcheck.test as [string, string, ...string[]];
    expect(how).toBe('CMD');
    const check = (...more: string[]) => outputOf(client, ['-p', port, ...more]);
    expect(check(...words)).toBeNull();
    const server = spawn(program, [...args, '--port', port, '--bind', '127.0.0.1', '--dir', makeFolder()], {
      stdio: 'ignore',
    });
    onTestFinished(async () => {
      const exited = once(server, 'exit');
      server.kill('SIGKILL');
      await exited;
    });
    await eventually(() => check(...words) === 'PONG\n', { what: 'a health check that passes' });
    const setting = (name: string) => check('config', 'get', name)?.split('\n')[1];
    expect(['maxmemory-policy', 'appendonly', 'save'].map(setting)).toEqual(['noeviction', 'no', '']);
  });

  it('the health check of Postgres in docker-compose.yml passes for a server that answers, and fails without one', async () => {
    const [how, line] = services.postgres.healthcheck.test as [string, string];
    expect(how).toBe('CMD-SHELL');
    const { hostname, port } = new URL(database.url);
    const check = (PGPORT: string) => outputOf('sh', ['-c', line], { PGHOST: hostname, PGPORT });
    expect(check(port)).toContain('accepting connections');
    expect(check(String(await freePort()))).toBeNull();
  });

  it('promtool accepts the Prometheus configuration of docker-compose.yml together with the rules that are mounted beside it', () => {
    const folder = makeFolder();
    for (const volume of services.prometheus.volumes as string[]) {
      const [source = '', target = ''] = volume.split(':');
      if (source.startsWith('./')) copyFileSync(join(root, source), join(folder, basename(target)));
    }
    const checked = promtool(['check', 'config', join(folder, 'prometheus.yml')]);
    expect(checked).toContain('1 rule files found');
    expect(checked).not.toMatch(/failed|FAILED|warning/i);
  });
});
