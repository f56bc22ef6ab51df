import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ADMIN_KEY, eventually } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { useCommand } from './use-command.js';

const { place, database, carillon, json, start } = useCommand();

describe('First steps', () => {
  it('carillon schedules create makes a schedule, and carillon why explains its run', async () => {
    const made = await carillon('schedules create --id hello --in 1s --target handler:log --payload {"a":1}');
    expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/^hello is active, due /), notes: '' });
    await eventually(async () => (await json('runs ls --schedule hello')).items[0]?.status === 'succeeded', {
      everyMs: 100,
    });
    const why = await carillon('why hello');
    expect(why.out).toMatch(/hello is finished.*\n\nOCCURRENCE +STATUS +WHY\n.*succeeded +ran .* late/s);
  });

  it('carillon why --steps lists every step of an occurrence with its time', async () => {
    const { out, code } = await carillon('why hello -n 1 --steps');
    expect(code).toBe(0);
    const rows = out.trimEnd().split('\n').slice(3);
    const at = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;
    const steps = [
      'named by version 1 of the rule',
      'due',
      'claimed by worker \\d+',
      `attempt 1 succeeded, until ${at}`,
      'succeeded, \\d+ ms after it was due',
    ];
    expect(rows[0]).toMatch(/succeeded +ran .* late/);
    for (const [i, text] of steps.entries()) expect(rows[i + 1]).toMatch(new RegExp(`^ +${at}  ${text} *$`));
    expect(rows).toHaveLength(1 + steps.length);
  });

  it('carillon check exits with 0 while each occurrence has its run, and with 1 and a list if a run is lost', async () => {
    expect(await carillon('check hello --last 1h')).toMatchObject({
      code: 0,
      out: '1 occurrences of 1 schedules compared: each has its run or lies in a gap.\n',
    });
    await carillon('schedules create --id forgotten --in 1s --target handler:log');
    await eventually(
      async () => (await json('runs ls --schedule forgotten')).items[0]?.status === 'succeeded',
    );
    await database.pool.query(
      `delete from carillon.runs where schedule_id = (select id from carillon.schedules where key = 'forgotten')`,
    );
    const check = await carillon('check --last 1h');
    expect(check.code).toBe(1);
    expect(check.out).toMatch(/^2 occurrences of 2 schedules compared; these differ:\n\nSCHEDULE +KIND/);
    expect(check.out).toMatch(
      /forgotten +missing .* 1 +named by the rule, and there is neither a run nor a gap/,
    );
    const asJson = await carillon('check forgotten --json');
    expect(asJson.code).toBe(1);
    expect(JSON.parse(asJson.out)).toMatchObject({
      schedules: 1,
      occurrences: 1,
      differences: [{ scheduleId: 'forgotten', kind: 'missing', count: 1 }],
    });
  });

  it('the carillon command uses the key of the installation in its folder and sends it to no other host', async () => {
    const home = join(place.folder, '.carillon');
    await mkdir(home);
    await writeFile(join(home, 'admin.key'), `${ADMIN_KEY}\n`);
    const answer = await start(['system', '--json'], {
      CARILLON_URL: place.url,
      CARILLON_KEY: '',
      CARILLON_HOME: '',
    }).ended;
    expect(answer).toMatchObject({ code: 0, notes: '' });
    const elsewhere = await carillon('system', {
      CARILLON_URL: 'http://carillon.invalid',
      CARILLON_HOME: home,
    });
    expect(elsewhere).toMatchObject({ code: 2, notes: expect.stringContaining('no API key') });
  });

  it('the carillon command suggests npm start if the API does not answer', async () => {
    const { code, notes } = await carillon('system', {
      CARILLON_URL: 'http://127.0.0.1:1',
      CARILLON_KEY: 'k',
    });
    expect({ code, notes }).toMatchObject({
      code: 6,
      notes: expect.stringContaining('`npm start` starts one'),
    });
  });
});

describe('Signing secret', () => {
  it('carillon secret shows and rotates the secret of a project', async () => {
    const { secret } = await json('secret show');
    expect(secret).toMatch(/^whsec_/);
    const rotated = await carillon('secret rotate --project default');
    expect(rotated).toMatchObject({ code: 0, notes: expect.stringContaining('24 hours') });
    expect(rotated.out.trim()).not.toBe(secret);
    expect((await carillon('secret show')).out).toBe(rotated.out);
  });
});

describe('Schedules', () => {
  it('carillon schedules ls prints a table, and JSON with --json', async () => {
    await carillon([
      'schedules',
      'create',
      '--id',
      'standup',
      '--cron',
      '0 9 * * 1-5',
      '--tz',
      'Asia/Tokyo',
      '--tag',
      'team',
      '--target',
      'handler:log',
    ]);
    const { out } = await carillon('schedules ls --tag team');
    expect(out).toMatch(
      /^ID +STATUS +NEXT +RULE +ZONE +TARGET\nstandup +active +.* 0 9 \* \* 1-5 +Asia\/Tokyo +handler:log\n$/,
    );
    expect(await json('schedules ls --tag team')).toMatchObject({
      items: [{ id: 'standup' }],
      nextCursor: null,
    });
    expect((await carillon('schedules show standup')).out).toMatch(
      /time zone +Asia\/Tokyo[\s\S]*09:00:00\+09:00/,
    );
    expect(
      (await carillon('schedules next standup -n 2')).out
        .split('\n')
        .filter((line) => line.includes('09:00:00+09:00')),
    ).toHaveLength(2);
  });

  it('the subcommands of carillon schedules can update, pause, resume, reschedule, skip, trigger, backfill, cancel and purge a schedule', async () => {
    await carillon('schedules create --id edited --every 1h --target handler:noop');
    expect(await json('schedules update edited --attempts 5 --if-match 1')).toMatchObject({
      version: 2,
      retry: { maxAttempts: 5 },
    });
    expect(await carillon('schedules update edited --attempts 4 --if-match 1')).toMatchObject({ code: 5 });
    const paused = await carillon(['schedules', 'pause', 'edited', '--note', 'incident 7', '--until', '+2h']);
    expect(paused.out).toMatch(/^edited is paused until /);
    expect((await carillon('why edited')).out).toMatch(
      /^edited is paused by admin, .* note: incident 7\. Nothing fires/,
    );
    expect((await carillon('schedules resume edited')).out).toMatch(/^edited is active/);
    expect((await carillon('schedules reschedule edited --to +30m')).out).toMatch(/in 30 min/);
    expect((await carillon('schedules skip-next edited')).out).toMatch(/^edited skips/);
    const { runId } = await json('schedules trigger edited');
    expect((await carillon(`runs show ${runId}`)).out).toMatch(/origin +trigger/);
    expect((await carillon(['schedules', 'backfill', 'edited', '--from', '3h ago'])).code).toBe(0);
    expect((await carillon('schedules cancel edited')).out).toMatch(/^edited is cancelled/);
    expect(await carillon('schedules create --id edited --every 1h --target handler:noop')).toMatchObject({
      code: 5,
      notes: expect.stringContaining('purge=true'),
    });
    expect((await carillon('schedules put edited --every 2h --target handler:noop')).out).toMatch(
      /^edited is active, .*, at version \d+/,
    );
    expect((await carillon('schedules cancel edited --purge')).out).toMatch(/^edited is removed/);
    expect((await carillon('schedules show edited')).code).toBe(3);
  });

  it('one call of the carillon command changes several schedules, selected by their ids or by a filter', async () => {
    await Promise.all(
      ['one', 'two'].map((id) =>
        carillon(`schedules create --id ${id} --every 1h --tag both --target handler:noop`),
      ),
    );
    const paused = await carillon('schedules pause one nobody two');
    expect(paused).toMatchObject({
      code: 3,
      out: expect.stringMatching(/^one is paused\nnobody: there is no .*\ntwo is paused\n$/),
    });
    expect(await carillon('schedules act resume --tag both --dry-run')).toMatchObject({
      out: expect.stringMatching(/^2 would be changed: (one, two|two, one)\nThey fire \d+ times/),
    });
    expect(await carillon('schedules act resume --tag both')).toMatchObject({ out: '2 of 2 changed\n' });
    expect(await carillon('schedules act cancel')).toMatchObject({
      code: 2,
      notes: expect.stringContaining('--everything'),
    });
  });

  it('carillon schedules create reads a JSON file and standard input', async () => {
    await writeFile(
      join(place.folder, 'schedule.json'),
      JSON.stringify({
        rule: { every: 'PT1H' },
        target: { type: 'handler', name: 'noop' },
        payload: { from: 'file' },
      }),
    );
    const made = await json(
      `schedules create --file ${join(place.folder, 'schedule.json')} --id filed --name Filed`,
    );
    expect(made).toMatchObject({ id: 'filed', name: 'Filed', payload: { from: 'file' } });
  });
});

describe('Crontab import', () => {
  const text =
    'CRON_TZ=Asia/Tokyo\nSHELL=/bin/bash\n0 3 * * * /usr/bin/backup --all\n@reboot /usr/bin/start\n61 * * * * x\n';

  it('carillon import crontab --dry-run needs no API, and importing the same crontab a second time changes nothing', async () => {
    const file = join(place.folder, 'crontab');
    await writeFile(file, text);
    const dry = await carillon(`import crontab ${file} --dry-run`, {});
    expect(dry).toMatchObject({
      code: 1,
      notes: '1 ready, 2 not taken\nThe import itself needs --target.\n',
    });
    expect(dry.out).toMatch(
      /line 3 +ready +cron-usr-bin-backup-all +.* 18:00:00Z +0 3 \* \* \* +Asia\/Tokyo/,
    );
    expect(dry.out).toMatch(/Remarks\n {2}line 4\n {4}@reboot names no time/);
    expect((await json('schedules ls --tag crontab')).items).toEqual([]);
    expect(await carillon(`import crontab ${file}`)).toMatchObject({
      code: 2,
      notes: expect.stringContaining('missing target'),
    });
    const imported = await carillon(`import crontab ${file} --target queue:commands`);
    expect(imported).toMatchObject({ code: 1, notes: '1 created, 2 not taken\n' });
    expect((await carillon(`import crontab ${file} --target queue:commands`)).notes).toBe(
      '1 existing, 2 not taken\n',
    );
    expect(await json('schedules show cron-usr-bin-backup-all')).toMatchObject({
      timezone: 'Asia/Tokyo',
      target: { type: 'queue', queue: 'commands' },
      payload: { command: '/usr/bin/backup --all', environment: { SHELL: '/bin/bash' } },
    });
  });
});

describe('carillon tail', () => {
  it('carillon tail prints a line per event and exits cleanly on Ctrl-C', async () => {
    const tail = start(['tail', '--schedule', 'watched', '--json']);
    const table = start(['tail', '--type', 'run.succeeded']);
    // Schedules are created until the first event is printed, which shows that the command listens.
    await eventually(
      async () => {
        await carillon('schedules create --in 0s --target handler:noop');
        return table.said.out.includes('succeeded');
      },
      { everyMs: 100 },
    );
    await carillon('schedules create --id watched --in 0s --target handler:noop');
    await eventually(() => tail.said.out.includes('run.succeeded'));
    tail.child.kill('SIGINT');
    table.child.kill('SIGTERM');
    const ended = await tail.ended;
    expect(ended.code).toBe(0);
    const events = ended.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.every(({ data }) => data.scheduleId === 'watched')).toBe(true);
    expect(await table.ended).toMatchObject({
      code: 0,
      out: expect.stringMatching(/ {2}succeeded {3}\S+ {2}run_/),
    });
  });
});

describe('Other commands', () => {
  it('carillon rules, system, workers, forecast, keys and audit print their results', async () => {
    const preview = await carillon(['rules', 'preview', '0 9 * * 1-5', '--tz', 'Asia/Tokyo', '-n', '1']);
    expect(preview.out).toMatch(
      /^at 09:00 on weekdays, Tokyo time\n\nLOCAL +UTC +REMARK\n.* 09:00:00\+09:00/,
    );
    expect((await carillon('workers')).out).toMatch(/alive/);
    expect((await carillon('system')).out).toMatch(/workers +1 alive/);
    expect((await carillon('forecast --hours 2')).out).toMatch(/^\d+ fires from/);
    const made = await carillon('keys create ci --scope read');
    const reader = { CARILLON_URL: place.url, CARILLON_KEY: made.out.trim() };
    expect(await carillon('schedules trigger standup', reader)).toMatchObject({
      code: 4,
      notes: expect.stringContaining('scope write'),
    });
    expect((await carillon('keys ls')).out).toMatch(/read .* ci\n/);
    expect((await carillon('audit --action key.created')).out).toMatch(/key\.created/);
  });

  it('the carillon command answers an invalid command line with a hint and an exit code for the kind of mistake', async () => {
    expect(await carillon('schedules show nobody')).toMatchObject({
      code: 3,
      notes: 'carillon: there is no schedule with the id nobody\n',
    });
    expect(await carillon(['schedules', 'create', '--cron', '0 25 * * *'])).toMatchObject({
      code: 2,
      notes: expect.stringContaining('hour'),
    });
    expect(await carillon('schedules create')).toMatchObject({
      code: 2,
      notes: expect.stringContaining('--help'),
    });
    expect(await carillon('schedule ls')).toMatchObject({
      code: 2,
      notes: expect.stringContaining('did you mean carillon schedules?'),
    });
    expect(await carillon('runs ls --bogus')).toMatchObject({
      code: 2,
      notes: expect.stringContaining('--bogus'),
    });
    expect(await carillon('schedules')).toMatchObject({
      code: 2,
      notes: expect.stringContaining('Examples'),
    });
  });
});
