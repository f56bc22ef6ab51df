import { describe, expect, it } from 'vitest';
import { ScheduleInput } from './contracts/schedule.js';
import { parseCrontab } from './crontab.js';

const one = (text: string, options = {}) => {
  const { entries, problems } = parseCrontab(text, options);
  expect(problems).toEqual([]);
  expect(entries).toHaveLength(1);
  return entries[0]?.schedule;
};

describe('A crontab', () => {
  it('each line of a crontab becomes one schedule, with the command in its payload', () => {
    const { entries, problems } = parseCrontab(
      `# backups\nMAILTO=ops@example.com\n\n0  3 * * *\t/usr/bin/backup --all\n@hourly /usr/bin/digest\n`,
    );
    expect(problems).toEqual([]);
    expect(entries).toEqual([
      {
        line: 4,
        warnings: [],
        schedule: {
          id: 'cron-usr-bin-backup-all',
          name: '/usr/bin/backup --all',
          tags: ['crontab'],
          rule: { cron: '0 3 * * *' },
          timezone: 'UTC',
          payload: { command: '/usr/bin/backup --all' },
        },
      },
      expect.objectContaining({ line: 5, schedule: expect.objectContaining({ rule: { cron: '@hourly' } }) }),
    ]);
    for (const { schedule } of entries) expect(ScheduleInput.safeParse(schedule).success).toBe(true);
  });

  it('the CRON_TZ of a crontab takes precedence over the time zone of its machine', () => {
    expect(one('CRON_TZ = "Europe/Berlin"\n0 3 * * * a')?.timezone).toBe('Europe/Berlin');
    expect(one('0 3 * * * a', { timezone: 'Asia/Tokyo' })?.timezone).toBe('Asia/Tokyo');
  });

  it('the environment variables of a crontab are passed on in the payload', () => {
    expect(one("SHELL=/bin/bash\nGREETING='a b'\n0 3 * * * a")?.payload).toEqual({
      command: 'a',
      environment: { SHELL: '/bin/bash', GREETING: 'a b' },
    });
  });

  it('the command of a crontab line is separated from its input, and in a system crontab from its user', () => {
    expect(one('0 3 * * * mail -s "100\\% done" me%dear me,%bye')?.payload).toEqual({
      command: 'mail -s "100% done" me',
      input: 'dear me,\nbye',
    });
    expect(one('0 3 * * * root /bin/true', { hasUsers: true })?.payload).toEqual({
      command: '/bin/true',
      user: 'root',
    });
  });

  it('a crontab may use @every intervals', () => {
    expect(one('@every 1h30m a')?.rule).toEqual({ every: 'PT1H30M' });
  });

  it('two crontab lines with the same command get two ids, the same ones on each import', () => {
    const text = '0 3 * * * a\n0 4 * * * a\n0 5 * * * a 2\n';
    const ids = () => parseCrontab(text).entries.map(({ schedule }) => schedule.id);
    expect(ids()).toEqual(['cron-a', 'cron-a-2', 'cron-a-2-2']);
    expect(ids()).toEqual(ids());
  });

  it('each crontab line that cannot be imported is reported with its number and the reason', () => {
    const { entries, problems } = parseCrontab(
      '@reboot a\n61 * * * * b\n0 3 * *\n0 3 * * *\n@every x c\n5 * * * * d',
    );
    expect(entries.map(({ line }) => line)).toEqual([6]);
    expect(problems.map(({ line, message }) => [line, message.split(/[:;]/)[0]])).toEqual([
      [1, '@reboot names no time'],
      [2, 'rule.cron'],
      [3, 'expected five fields and a command'],
      [4, 'has no command'],
      [5, '@every x'],
    ]);
  });
});
