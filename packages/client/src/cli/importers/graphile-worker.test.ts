import { describe, expect, it } from 'vitest';
import { importGraphileWorker } from './graphile-worker.js';

describe('importGraphileWorker', () => {
  it('a line of a graphile-worker crontab becomes a schedule in UTC with task and payload', () => {
    const { drafts, refusals } = importGraphileWorker(
      `# nightly\n0 4 * * * send_digest ?id=digest&max=5 {to: "all", 'dry': false}\n*/15 8-17 * * 1-5 poll\n`,
    );
    expect(refusals).toEqual([]);
    expect(drafts).toMatchObject([
      {
        source: 'line 2',
        job: 'digest',
        schedule: {
          id: 'graphile-digest',
          rule: { cron: '0 4 * * *' },
          timezone: 'UTC',
          misfire: { policy: 'skip' },
          retry: { maxAttempts: 5 },
          payload: { task: 'send_digest', payload: { to: 'all', dry: false } },
        },
        remarks: [],
      },
      { source: 'line 3', schedule: { retry: { maxAttempts: 25 }, payload: { task: 'poll' } } },
    ]);
  });

  it('the fill option of graphile-worker, which catches up missed jobs, becomes the misfire policy all, and options without an equivalent are reported', () => {
    const { drafts } = importGraphileWorker('0 4 * * * a ?fill=2d&queue=slow&priority=-1&jobKey=k');
    expect(drafts[0]).toMatchObject({
      schedule: { misfire: { policy: 'all', limit: 1000 } },
      remarks: [
        'has no equivalent: fill=2d; every missed occurrence is caught up, whatever its age, up to 1000',
        expect.stringContaining('queue=slow'),
        expect.stringContaining('priority=-1'),
        expect.stringContaining('jobKey=k'),
      ],
    });
  });

  it('invalid lines of a graphile-worker crontab are refused with a reason', () => {
    const { refusals } = importGraphileWorker('0 4 * *\n0 4 * * * a ?nope=1\n0 4 * * * a {x\n0 25 * * * a');
    expect(refusals.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('expected five fields'),
      '?nope is not an option of graphile-worker',
      expect.stringContaining('expected five fields'),
      expect.stringContaining('rule.cron'),
    ]);
  });
});
