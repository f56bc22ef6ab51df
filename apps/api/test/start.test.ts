import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readConfig, startApi } from '@carillon/api';
import { migrate, SecretBox } from '@carillon/db';
import { COUNTERS, HISTOGRAMS } from '@carillon/telemetry';
import { ADMIN_KEY, eventually, useProcesses } from '@carillon/testkit';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { useApi } from './use-api.js';

const KEY = Buffer.alloc(32, 7).toString('base64');
const api = useApi({ CARILLON_ENCRYPTION_KEY: KEY });
/** An installation whose admin key is rotated. */
const rotated = useApi({ CARILLON_ENCRYPTION_KEY: KEY });

const processes = useProcesses(api.database);

function configOf(env: Record<string, string>, { database } = api) {
  const config = readConfig({
    DATABASE_URL: database.url,
    REDIS_URL: database.redisUrl,
    REDIS_PREFIX: database.prefix,
    PORT: '0',
    ...env,
  });
  if ('problems' in config) throw new Error(config.problems.join());
  return config;
}

async function start(env: Record<string, string>, installation = api) {
  const started = await startApi(configOf(env, installation), pino({ level: 'silent' }));
  onTestFinished(() => started.stop());
  return started.url;
}

const canRead = async (key: string, { call } = api) =>
  (await call('GET', '/v1/schedules', { key })).status === 200;

describe('Start of the API', () => {
  it.each([
    ['another key', { CARILLON_ENCRYPTION_KEY: Buffer.alloc(32, 8).toString('base64') }],
    ['no key', {}],
  ])(
    'an API that starts with %s in place of its installation’s encryption key fails with one line that names CARILLON_ENCRYPTION_KEY',
    async (_what, env) => {
      const stranger = 'ck_stranger_0123456789_0123456789';
      const refusal = await start({ ...env, CARILLON_ADMIN_KEY: stranger }).catch(
        (error: Error) => error.message,
      );
      expect(refusal).toMatch(/^CARILLON_ENCRYPTION_KEY is not .*$/);
      // The start failed before the admin key was stored.
      expect(await canRead(stranger)).toBe(false);
    },
  );

  it('an API and a worker whose encryption key is not the key of the installation exit with one line on stderr', async () => {
    const env = { CARILLON_ENCRYPTION_KEY: Buffer.alloc(32, 9).toString('base64') };
    for (const start of [() => processes.api({ env }), () => processes.worker({ env })]) {
      const { message } = await start().then(
        () => new Error('it started'),
        (error: Error) => error,
      );
      expect(message).toMatch(
        /^the process ended: \[{"msg":"carillon (api|worker): CARILLON_ENCRYPTION_KEY is not the key [^{]*"}\]$/,
      );
    }
  });

  it('an API with a generated admin key refuses to start on a database for which another admin key is set, and does not replace that key', async () => {
    const env = {
      CARILLON_ENCRYPTION_KEY: KEY,
      CARILLON_ADMIN_KEY_IS_GENERATED: 'true',
      CARILLON_ADMIN_KEY: 'ck_generated_0123456789_01234',
    };
    await expect(processes.api({ env })).rejects.toThrow(
      'carillon api: Another installation has set the admin key',
    );
    expect(await canRead(ADMIN_KEY)).toBe(true);
    await expect(canRead(env.CARILLON_ADMIN_KEY)).resolves.toBe(false);
  });

  it('a new value of CARILLON_ADMIN_KEY revokes the previous value and no other key', async () => {
    const made = await rotated.keyFor({});
    const next = 'ck_new_0123456789_0123456789_abc';
    expect(await canRead(ADMIN_KEY, rotated)).toBe(true);
    await start({ CARILLON_ENCRYPTION_KEY: KEY, CARILLON_ADMIN_KEY: next }, rotated);
    await eventually(async () => !(await canRead(ADMIN_KEY, rotated)));
    expect(await Promise.all([next, made].map((key) => canRead(key, rotated)))).toEqual([true, true]);
    const { body } = await rotated.call('GET', '/v1/audit?action=key.revoked', { key: next });
    expect(body.items).toMatchObject([{ actor: 'CARILLON_ADMIN_KEY', detail: { name: 'admin' } }]);
  });

  it('CARILLON_ADMIN_KEY needs at least 24 characters, and the API never shows more than a quarter of a key', async () => {
    expect(() => configOf({ CARILLON_ADMIN_KEY: 'eight888' })).toThrow(
      'CARILLON_ADMIN_KEY: expected at least 24',
    );
    await start({ CARILLON_ENCRYPTION_KEY: KEY, CARILLON_ADMIN_KEY: 'abcdefghijklmnopqrstuvwx' }, rotated);
    const { body } = await rotated.call('GET', '/v1/keys', { key: 'abcdefghijklmnopqrstuvwx' });
    expect(body.items[0].prefix).toBe('abcdef');
    for (const { prefix } of body.items) expect(prefix.length).toBeLessThanOrEqual(11);
  });

  it('DATABASE_SCHEMA puts every table into the Postgres schema of that name', async () => {
    const schema = 'other_place';
    await migrate(api.database.url, { schema });
    const url = await start({ DATABASE_SCHEMA: schema, CARILLON_ADMIN_KEY: ADMIN_KEY });
    const body = { id: 'elsewhere', rule: { in: 'PT1H' }, target: { type: 'handler', name: 'noop' } };
    expect((await api.call('POST', `${url}/v1/schedules`, { body })).status).toBe(201);
    const count = async (name: string) =>
      (await api.database.pool.query(`select from "${name}".schedules where key = 'elsewhere'`)).rowCount;
    expect([await count(schema), await count('carillon')]).toEqual([1, 0]);
    expect(() => configOf({ DATABASE_SCHEMA: 'public' })).toThrow('DATABASE_SCHEMA');
  });
});

describe('Secrets of projects', () => {
  it('every project has a webhook secret from the start, which its admins can read and rotate', async () => {
    const key = await api.keyFor({ project: 'signed' });
    const writer = await api.keyFor({ project: 'signed', scopes: ['write'] });
    for (const id of ['default', 'signed']) {
      const { rows } = await api.database.pool.query(
        `select s.sealed, s.project_id as "projectId" from carillon.webhook_secrets s
         join carillon.projects p on p.id = s.project_id where p.key = $1 and s.schedule_id is null`,
        [id],
      );
      expect(rows).toHaveLength(1);
      const { body } = await api.call('GET', `/v1/projects/${id}/secret`, id === 'signed' ? { key } : {});
      expect(body.secret).toMatch(/^whsec_/);
      expect(new SecretBox(KEY).open(rows[0].sealed, rows[0].projectId)).toBe(body.secret);
    }
    const { body: rotated } = await api.call('POST', '/v1/projects/signed/secret', { key });
    expect((await api.call('GET', '/v1/projects/signed/secret', { key })).body).toEqual(rotated);
    expect((await api.call('GET', '/v1/projects/signed/secret', { key: writer })).status).toBe(403);
    expect((await api.call('GET', '/v1/projects/default/secret', { key })).status).toBe(404);
  });
});

describe('Metrics', () => {
  it('every metric in /metrics has HELP and TYPE, even a metric that a newer version of Carillon has written', async () => {
    await api.database.pool.query(
      `insert into carillon.metrics (name, labels, value)
       values ('carillon_of_tomorrow_total', '', 1), ('carillon_delivery_seconds_sum', '', 2)`,
    );
    const { text } = await api.call('GET', '/metrics', { key: null });
    const samples = text.split('\n').filter((line) => line && !line.startsWith('#'));
    const families = samples.map((line) => /^\w+/.exec(line)?.[0].replace(/_(bucket|sum|count)$/, '') ?? '');
    for (const name of [...families, ...Object.keys(COUNTERS), ...Object.keys(HISTOGRAMS)]) {
      expect(text).toMatch(new RegExp(`^# HELP ${name} \\S`, 'm'));
      expect(text).toMatch(new RegExp(`^# TYPE ${name} (counter|gauge|histogram)$`, 'm'));
    }
    expect(families).toContain('carillon_of_tomorrow_total');
  });

  it('every metric in the source code has a help text', () => {
    const apps = fileURLToPath(new URL('../..', import.meta.url));
    const sources = ['api/src', 'worker/src'].flatMap((folder) =>
      readdirSync(join(apps, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
        .map((file) => readFileSync(join(apps, folder, file), 'utf8')),
    );
    const counted = sources.flatMap((text) =>
      [...text.matchAll(/\.(?:count|observe)\(\s*'(\w+)'/g)].map(([, name]) => name),
    );
    expect(counted.length).toBeGreaterThan(15);
    for (const name of counted) expect({ ...COUNTERS, ...HISTOGRAMS }).toHaveProperty(name as string);
  });

  it('every metric is described in docs/monitoring.md', async () => {
    const page = readFileSync(fileURLToPath(new URL('../../../docs/monitoring.md', import.meta.url)), 'utf8');
    const { text } = await api.call('GET', '/metrics', { key: null });
    const names = [...text.matchAll(/^# HELP ((?:carillon|jobs)_\w+) /gm)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(30);
    for (const name of names) if (name !== 'carillon_of_tomorrow_total') expect(page).toContain(`\`${name}`);
  });

  it('/metrics queries Postgres at most once a second, however often a client without a key requests it', async () => {
    const startedAt = performance.now();
    const texts = new Set<string>();
    // The text contains the CPU time of the process, so each new read yields another text.
    for (let i = 0; i < 50; i++) texts.add((await api.call('GET', '/metrics', { key: null })).text);
    const seconds = Math.ceil((performance.now() - startedAt) / 1_000);
    expect(texts.size).toBeLessThanOrEqual(seconds + 1);
  });
});
