import { importCommand } from './import-command.js';

/** Importers that read the database of another scheduler. They change nothing in it. */
export const bullmq = importCommand({
  name: 'bullmq',
  summary: 'Import the job schedulers of BullMQ from Redis',
  details: `Only reads from Redis. Without --target, deliveries go to the queue of each job scheduler. Remove the job schedulers of BullMQ
before the imported schedules begin, or both fire.`,
  usage: '<redis url>',
  words: { least: 1, most: 1 },
  options: {
    queue: {
      type: 'string',
      value: '<name>',
      multiple: true,
      about: 'only this queue (default: all that are found)',
    },
    prefix: { type: 'string', value: '<prefix>', about: 'prefix of the keys of BullMQ (default bull)' },
  },
  hasTarget: true,
  examples: [
    'carillon import bullmq redis://127.0.0.1:6379 --dry-run',
    'carillon import bullmq redis://127.0.0.1:6379 --queue reports --target handler:{name} --output schedules.yaml',
  ],
  async read([url = ''], { queue, prefix = 'bull' }) {
    const [{ importBullmq }, { readBullmq }] = await Promise.all([
      import('../importers/bullmq.js'),
      import('../importers/read-bullmq.js'),
    ]);
    return importBullmq(await readBullmq(url, { prefix, queues: queue }));
  },
});

export const pgBoss = importCommand({
  name: 'pg-boss',
  summary: 'Import the schedules of pg-boss from Postgres',
  details:
    'Only reads from Postgres. Remove the schedules from pg-boss with unschedule() before the imported schedules begin, or both fire.',
  usage: '<postgres url>',
  words: { least: 1, most: 1 },
  options: {
    schema: { type: 'string', value: '<name>', about: 'schema of pg-boss (default pgboss)' },
  },
  examples: [
    'carillon import pg-boss postgres://127.0.0.1/app --dry-run',
    'carillon import pg-boss postgres://127.0.0.1/app --target https://example.com/jobs/{name}',
  ],
  async read([url = ''], { schema = 'pgboss' }) {
    const [{ importPgBoss }, { readPgBoss }] = await Promise.all([
      import('../importers/pg-boss.js'),
      import('../importers/read-pg-boss.js'),
    ]);
    return importPgBoss(await readPgBoss(url, schema));
  },
});
