import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Queue } from 'bullmq';
import { describe, expect, it } from 'vitest';
import { useCommand } from './use-command.js';

const { place, database, carillon, json } = useCommand();
const path = (name: string) => join(place.folder, name);

describe('carillon import bullmq', () => {
  it('carillon import bullmq imports the job schedulers that BullMQ stored, and changes nothing in Redis', async () => {
    const prefix = `${database.prefix}-import`;
    const connection = { url: database.redisUrl };
    const queue = new Queue('reports', { connection, prefix });
    const other = new Queue('digests', { connection, prefix });
    await queue.upsertJobScheduler(
      'nightly',
      { pattern: '0 3 * * *', tz: 'Asia/Tokyo', limit: 10 },
      {
        name: 'report',
        data: { kind: 'nightly' },
        opts: { attempts: 4, backoff: { type: 'exponential', delay: 2_000 } },
      },
    );
    await queue.upsertJobScheduler('poll', { every: 90_000 }, { name: 'poll', opts: { priority: 3 } });
    await other.upsertJobScheduler('digest', { pattern: '0 0 9 * * 1-5' });
    const before = await queue.getJobSchedulers();

    const command = `import bullmq ${database.redisUrl} --prefix ${prefix}`;
    const dry = await carillon(`${command} --dry-run`, {});
    expect(dry).toMatchObject({ code: 0, notes: '3 ready\n' });
    expect(dry.out).toMatch(
      /reports\/nightly +ready +bullmq-nightly +.* 18:00:00Z +0 3 \* \* \* +Asia\/Tokyo/,
    );
    expect(dry.out).toMatch(/Remarks[\s\S]* {2}reports\/poll\n.*\n {4}has no equivalent: priority 3;/);

    expect((await carillon(command)).notes).toBe('3 created\n');
    expect((await carillon(command)).notes).toBe('3 existing\n');
    expect(await json('schedules show bullmq-nightly')).toMatchObject({
      rule: { cron: '0 3 * * *' },
      maxRuns: 10,
      retry: { maxAttempts: 4, baseDelay: 'PT2S' },
      target: { type: 'queue', queue: 'reports' },
      payload: { kind: 'nightly' },
    });
    const poll = await json('schedules show bullmq-poll');
    const [next] = before.filter(({ key }) => key === 'poll');
    expect(Math.abs(Date.parse(poll.nextRunAt) - Number(next?.next)) % 90_000).toBe(0);
    expect((await carillon(`${command} --queue digests --dry-run`)).notes).toBe('1 ready\n');
    expect(await queue.getJobSchedulers()).toEqual(before);
    await Promise.all([queue.obliterate({ force: true }), other.obliterate({ force: true })]);
    await Promise.all([queue.close(), other.close()]);
  });

  it('carillon import bullmq reports a Redis that does not answer', async () => {
    expect(await carillon('import bullmq redis://127.0.0.1:1 --dry-run')).toMatchObject({
      code: 2,
      notes: expect.stringContaining('cannot read job schedulers from Redis'),
    });
  });
});

/**
 * Starts the pg-boss that the benchmarks install. This package does not depend on pg-boss itself. pg-boss needs
 * `@opentelemetry/api`, an optional peer of Vitest, so the dependency would change how pnpm installs Vitest.
 */
async function startPgBoss(connectionString: string) {
  const bench = createRequire(new URL('../../../bench/package.json', import.meta.url));
  const { PgBoss } = await import(pathToFileURL(bench.resolve('pg-boss')).href);
  const boss = new PgBoss(connectionString);
  boss.on('error', () => {});
  await boss.start();
  return boss;
}

describe('carillon import pg-boss', () => {
  it('carillon import pg-boss imports the schedules in the table of pg-boss', {
    timeout: 60_000,
  }, async () => {
    const boss = await startPgBoss(database.url);
    await boss.createQueue('report');
    const retry = { retryLimit: 4, retryDelay: 30, retryBackoff: true };
    await boss.schedule('report', '0 3 * * *', { kind: 'daily' }, { tz: 'Asia/Tokyo', ...retry });
    await boss.schedule('report', '*/5 * * * *', null, { key: 'often', priority: 2 });
    await boss.stop({ graceful: false });

    const command = `import pg-boss ${database.url}`;
    expect(await carillon(command)).toMatchObject({
      code: 2,
      notes: expect.stringContaining('missing target'),
    });
    const imported = await carillon(`${command} --target queue:{name}`);
    expect(imported).toMatchObject({ code: 0, notes: '2 created\n' });
    expect(imported.out).toContain('has no equivalent: priority 2; the receiver has to take care of it');
    expect(await json('schedules show pg-boss-report')).toMatchObject({
      rule: { cron: '0 3 * * *' },
      timezone: 'Asia/Tokyo',
      misfire: { policy: 'skip' },
      retry: { maxAttempts: 5, baseDelay: 'PT30S' },
      payload: { kind: 'daily' },
    });
    expect(await json('schedules show pg-boss-report-often')).toMatchObject({
      target: { type: 'queue', queue: 'report-often' },
    });
    expect(await carillon(`${command} --schema elsewhere --dry-run`)).toMatchObject({
      code: 2,
      notes: expect.stringContaining('elsewhere.schedule'),
    });
  });
});

describe('carillon import from files', () => {
  it('carillon import writes a file that carillon plan and apply accept', async () => {
    await writeFile(
      path('cronjob.yaml'),
      `apiVersion: batch/v1
kind: CronJob
metadata: { name: backup, namespace: ops }
spec: { schedule: "0 3 * * *", timeZone: Europe/Berlin, concurrencyPolicy: Forbid, jobTemplate: { spec: {} } }
`,
    );
    const written = await carillon(
      `import kubernetes ${path('cronjob.yaml')} --target https://example.com/jobs/{name} --output ${path('cluster.yaml')} --set cluster`,
      {},
    );
    expect(written).toMatchObject({ code: 0, notes: expect.stringContaining('1 ready\nWritten to ') });
    expect((await carillon(`apply -f ${path('cluster.yaml')} --prune`)).notes).toBe('1 created\n');
    expect(await json('schedules show k8s-ops-backup')).toMatchObject({
      tags: ['k8s', 'set:cluster'],
      overlap: 'skip',
      target: { type: 'webhook', url: 'https://example.com/jobs/ops%2Fbackup' },
    });
    expect((await carillon(`plan -f ${path('cluster.yaml')} --detailed-exitcode`)).code).toBe(0);
  });

  it('carillon import exits with 1 if it cannot import every schedule of a file, and names those that it leaves out', async () => {
    await writeFile(
      path('schedules.json'),
      JSON.stringify([
        { Name: 'good', ScheduleExpression: 'rate(5 minutes)', Target: { Input: '{}' } },
        { Name: 'bad', ScheduleExpression: 'cron(0 9 1 * ? 2030,2032)' },
      ]),
    );
    const dry = await carillon(`import eventbridge ${path('schedules.json')} --dry-run --json`, {});
    expect(dry.code).toBe(1);
    expect(JSON.parse(dry.out)).toMatchObject({
      dryRun: true,
      items: [
        {
          source: 'bad',
          result: 'not taken',
          remarks: [expect.stringContaining('has no equivalent: the years')],
        },
        { source: 'good', result: 'ready', id: 'eventbridge-good', rule: 'every PT5M  UTC' },
      ],
    });
  });

  it('carillon import imports schedules of graphile-worker, node-cron and Agenda from files', async () => {
    await writeFile(path('crontab'), '0 4 * * * send_digest {to: "all"}\n');
    await writeFile(
      path('jobs.js'),
      "cron.schedule('0 9 * * *', digest, { name: 'digest', timezone: 'Asia/Tokyo' });\n",
    );
    await writeFile(
      path('agenda.json'),
      '{"name":"poll","repeatInterval":"5 minutes","nextRunAt":{"$date":"2036-01-01T00:00:00Z"}}\n{"name":"old","nextRunAt":null}\n',
    );
    for (const [line, id] of [
      [`graphile-worker ${path('crontab')}`, 'graphile-send-digest'],
      [`node-cron ${path('jobs.js')}`, 'node-cron-digest'],
      [`agenda ${path('agenda.json')}`, 'agenda-poll'],
    ]) {
      expect(await carillon(`import ${line} --target handler:noop`)).toMatchObject({
        code: 0,
        notes: '1 created\n',
      });
      expect(await json(`schedules show ${id}`)).toMatchObject({ status: 'active' });
    }
  });
});
