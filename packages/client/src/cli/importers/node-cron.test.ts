import { describe, expect, it } from 'vitest';
import { findCronCalls } from './find-cron-calls.js';
import { importNodeCron } from './node-cron.js';

const task = (fields: Record<string, unknown>) => ({ source: 'tasks.json 1', fields });

describe('importNodeCron', () => {
  it('a task of node-cron keeps its zone, its limits and its policy for missed executions', () => {
    const { drafts } = importNodeCron([
      task({
        name: 'digest',
        expression: '0 0 9 * * 1-5',
        timezone: 'Europe/Berlin',
        noOverlap: true,
        maxExecutions: 3,
        maxRandomDelay: 30000,
      }),
    ]);
    expect(drafts).toMatchObject([
      {
        schedule: {
          id: 'node-cron-digest',
          rule: { cron: '0 0 9 * * 1-5' },
          timezone: 'Europe/Berlin',
          overlap: 'skip',
          maxRuns: 3,
          jitter: 'PT30S',
          misfire: { policy: 'skip' },
        },
        remarks: [],
      },
    ]);
  });

  it('a node-cron task with a day of the month and a weekday is refused, because node-cron fires only if both match', () => {
    const { refusals } = importNodeCron([task({ expression: '0 9 1-7 * 1' }), task({ name: 'x' })]);
    expect(refusals.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('both match'),
      'has no `expression`',
    ]);
  });

  it('calls of cron.schedule in a source file are found, each with its line and the options that are literals', () => {
    const source = `import cron from 'node-cron';
cron.schedule('0 9 * * *', () => send({ name: 'not this' }), { timezone: 'Asia/Tokyo', name: 'digest', noOverlap: true });
cron.schedule("*/5 * * * *", poll);
`;
    expect(findCronCalls(source, 'src/jobs.ts')).toEqual([
      {
        source: 'src/jobs.ts:2',
        fields: { name: 'digest', expression: '0 9 * * *', timezone: 'Asia/Tokyo', noOverlap: true },
      },
      { source: 'src/jobs.ts:3', fields: { name: 'jobs-3', expression: '*/5 * * * *' } },
    ]);
    const { drafts } = importNodeCron(findCronCalls(source, 'src/jobs.ts'), { timezone: 'Europe/Paris' });
    expect(drafts[1]).toMatchObject({
      schedule: { id: 'node-cron-jobs-3', timezone: 'Europe/Paris' },
      remarks: [expect.stringContaining('has no time zone')],
    });
  });
});
