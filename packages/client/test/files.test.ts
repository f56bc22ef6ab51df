import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ADMIN_KEY } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { Carillon } from '../src/carillon.js';
import { applyPlan } from '../src/cli/files/apply-plan.js';
import { planFiles } from '../src/cli/files/plan-files.js';
import { readScheduleFiles } from '../src/cli/files/read-schedule-files.js';
import { useCommand } from './use-command.js';

const { place, carillon, json } = useCommand();
const path = (name: string) => join(place.folder, name);
const write = async (name: string, text: string) => {
  await writeFile(path(name), text);
  return path(name);
};

const entry = (id: string, rule: string, more = '') => `  - id: ${id}
    rule: ${rule}
    target: { type: handler, name: noop }
${more}`;

describe('carillon plan and carillon apply', () => {
  it('carillon plan shows what would be created and changed, apply does it, and a second plan finds no change', async () => {
    const first = `set: first\nschedules:\n${entry('f-one', '{ cron: 0 9 * * * }')}${entry('f-two', '{ every: PT1H }')}`;
    const file = await write('first.yaml', first);
    const planned = await carillon(`plan -f ${file}`);
    expect(planned).toMatchObject({
      code: 0,
      notes: '2 to create, 0 to change, 0 to cancel, 0 unchanged\n',
    });
    expect(planned.out).toMatch(
      /^\+ f-one {2}create {2}.*first\.yaml:3\n {4}next: .* 09:00:00Z(, .* 09:00:00Z){4}\n/,
    );
    expect((await carillon(`plan -f ${file} --detailed-exitcode`)).code).toBe(2);
    expect(await carillon(`apply -f ${file}`)).toMatchObject({
      code: 0,
      out: '✓ f-one created, at version 1\n✓ f-two created, at version 1\n',
      notes: '2 created\n',
    });
    expect(await json('schedules show f-one')).toMatchObject({ tags: ['set:first'] });
    expect(await carillon(`plan -f ${file} --detailed-exitcode`)).toMatchObject({
      code: 0,
      out: 'Nothing to change.\n',
    });
    expect(await carillon(`apply -f ${file}`)).toMatchObject({ code: 0, out: 'Nothing to change.\n' });

    await write(
      'first.yaml',
      first.replace('0 9 * * *', '0 10 * * *').replace('PT1H }', 'PT1H }\n    timeout: PT30S'),
    );
    const changed = await carillon(`plan -f ${file}`);
    expect(changed.out).toMatch(
      /^~ f-one {2}change .*\n {4}rule: \{"cron":"0 9 \* \* \*"\} → \{"cron":"0 10 \* \* \*"\}\n {4}next before: .* 09:00:00Z\n {4}next after: .* 10:00:00Z\n\n~ f-two .*\n {4}timeout: PT15S → PT30S\n$/,
    );
    expect((await carillon(`apply -f ${file}`)).out).toBe(
      '✓ f-one changed, at version 2\n✓ f-two changed, at version 2\n',
    );
  });

  it('carillon apply --prune cancels schedules that belong to the set of a file but are not in the file, and no other schedules', async () => {
    const both = `set: pruned\nschedules:\n${entry('p-one', '{ every: PT1H }')}${entry('p-two', '{ every: PT1H }')}`;
    const file = await write('pruned.yaml', both);
    await carillon(`apply -f ${file}`);
    await carillon('schedules create --id p-other --every 1h --tag pruned --target handler:noop');
    await write('pruned.yaml', `set: pruned\nschedules:\n${entry('p-one', '{ every: PT1H }')}`);
    const without = await carillon(`plan -f ${file}`);
    expect(without).toMatchObject({ code: 0, out: 'Nothing to change.\n' });
    expect(without.notes).toContain('1 in the set but in no file (--prune cancels them)');
    const withPrune = await carillon(`plan -f ${file} --prune --detailed-exitcode`);
    expect(withPrune).toMatchObject({
      code: 2,
      out: '- p-two  cancel\n    is in no file of the set pruned\n',
    });
    expect((await carillon(`apply -f ${file} --prune`)).out).toMatch(/^✓ p-two cancelled, at version \d+\n$/);
    expect(await json('schedules show p-two')).toMatchObject({ status: 'cancelled' });
    expect(await json('schedules show p-other')).toMatchObject({ status: 'active' });
    expect(await carillon(`plan -f ${file} --prune --detailed-exitcode`)).toMatchObject({ code: 0 });
    await write('pruned.yaml', both);
    expect((await carillon(`plan -f ${file}`)).out).toMatch(/^\+ p-two {2}start anew: it is cancelled/);
    expect((await carillon(`apply -f ${file}`)).out).toMatch(/^✓ p-two restored, at version \d+\n$/);
  });

  it('carillon apply --prune is refused for a file that names no set', async () => {
    const file = await write('no-set.yaml', `schedules:\n${entry('n-one', '{ every: PT1H }')}`);
    expect(await carillon(`apply -f ${file} --prune`)).toMatchObject({
      code: 1,
      notes: expect.stringContaining('--prune needs a set'),
    });
  });

  it('carillon plan and apply refuse a schedule that belongs to another set, and apply --take-over moves it to the set of the file', async () => {
    const mine = await write('mine.yaml', `set: mine\nschedules:\n${entry('t-one', '{ every: PT1H }')}`);
    const yours = await write('yours.yaml', `set: yours\nschedules:\n${entry('t-one', '{ every: PT1H }')}`);
    await carillon(`apply -f ${mine}`);
    const refused = await carillon(`plan -f ${yours}`);
    expect(refused.code).toBe(1);
    expect(refused.out).toMatch(/^! t-one {2}refused .*\n {4}belongs to the set mine; /);
    expect(await carillon(`apply -f ${yours}`)).toMatchObject({ code: 1, notes: '1 failed\n' });
    expect((await carillon(`apply -f ${yours} --take-over`)).code).toBe(0);
    expect(await json('schedules show t-one')).toMatchObject({ tags: ['set:yours'] });
  });

  it('carillon apply adds an existing schedule that belongs to no set to the set of the file', async () => {
    await carillon('schedules create --id adopted --every 1h --target handler:noop');
    const file = await write(
      'adopt.yaml',
      `set: adopting\nschedules:\n${entry('adopted', '{ every: PT1H }')}`,
    );
    expect((await carillon(`plan -f ${file}`)).out).toContain('tags: [] → ["set:adopting"]');
    expect((await carillon(`apply -f ${file}`)).code).toBe(0);
    expect((await carillon('schedules show adopted')).out).toMatch(/managed by +set adopting/);
  });

  it('carillon apply reports a schedule that the API refuses, and still applies the others', async () => {
    const file = await write(
      'partly.yaml',
      `schedules:\n${entry('bad', '{ cron: 0 25 * * * }')}${entry('good', '{ every: PT1H }')}`,
    );
    const applied = await carillon(`apply -f ${file}`);
    expect(applied).toMatchObject({ code: 1, notes: '1 created, 1 failed\n' });
    expect(applied.out).toMatch(/^! bad: rule\.cron: .*\n✓ good created, at version 1\n$/);
  });

  it('carillon plan reads all files of a folder together, and an id in two files is an error', async () => {
    await mkdir(path('folder'));
    await write('folder/a.yaml', `set: folder\nschedules:\n${entry('d-one', '{ every: PT1H }')}`);
    await write(
      'folder/b.json',
      JSON.stringify({
        set: 'folder',
        schedules: [{ id: 'd-two', rule: { every: 'PT2H' }, target: { type: 'handler', name: 'noop' } }],
      }),
    );
    await write('folder/notes.txt', 'not a file of schedules');
    expect((await carillon(`apply -f ${path('folder')} --prune`)).notes).toBe('2 created\n');
    await write('folder/c.yml', `set: folder\nschedules:\n${entry('d-one', '{ every: PT3H }')}`);
    expect(await carillon(`plan -f ${path('folder')}`)).toMatchObject({
      code: 1,
      notes: expect.stringMatching(/c\.yml:3: the id d-one is also in .*a\.yaml:3/),
    });
  });

  it('carillon plan exits with 1 after any error, also for an invalid command line', async () => {
    const file = await write('broken.yaml', 'schedules:\n  - id: a\n    rule: { cron: 1 }');
    expect(await carillon(`plan -f ${file} --detailed-exitcode`)).toMatchObject({
      code: 1,
      notes: expect.stringContaining('broken.yaml:3: schedules.0.rule.cron'),
    });
    expect((await carillon('plan --bogus')).code).toBe(1);
    expect(await carillon('plan')).toMatchObject({ code: 1, notes: expect.stringContaining('missing file') });
    expect((await carillon(`plan -f ${path('no-such.yaml')}`)).code).toBe(1);
  });
});

describe('Concurrent edits', () => {
  it('carillon apply does not overwrite an edit that came after the plan, and continues with the other schedules', async () => {
    const text = `set: raced\nschedules:\n${['c-one', 'c-two', 'c-gone'].map((id) => entry(id, '{ every: PT1H }')).join('')}`;
    const file = await write('raced.yaml', text);
    await carillon(`apply -f ${file}`);
    await write(
      'raced.yaml',
      text.replaceAll('PT1H', 'PT2H').replace(/ {2}- id: c-gone[\s\S]*/, entry('c-new', '{ every: PT2H }')),
    );
    const client = new Carillon({ url: place.url, key: ADMIN_KEY });
    const plan = await planFiles(client, readScheduleFiles([file], {}), { prune: true, takeOver: false });
    await carillon('schedules update c-one --timeout 20s');
    await carillon('schedules update c-gone --timeout 20s');
    await carillon('schedules create --id c-new --every 5h --target handler:noop');
    const stale = {
      result: 'failed',
      error: expect.stringContaining('The schedule was changed in the meantime'),
    };
    expect(await applyPlan(client, plan)).toMatchObject([
      { id: 'c-one', ...stale },
      { id: 'c-two', result: 'changed', version: 2, error: null },
      { id: 'c-new', ...stale },
      { id: 'c-gone', ...stale },
    ]);
    expect(await json('schedules show c-one')).toMatchObject({ rule: { every: 'PT1H' }, timeout: 'PT20S' });
    expect(await json('schedules show c-gone')).toMatchObject({ status: 'active' });
  });
});

describe('carillon export', () => {
  it('carillon plan finds no change in a file that carillon export wrote, for every kind of field', async () => {
    const file = await write(
      'rich.yaml',
      `set: rich
schedules:
  - id: r-cron
    name: Rich
    tags: [a, b]
    rule: { cron: 0 9 * * 1-5 }
    timezone: America/New_York
    startAt: 2026-01-01T00:00:00.000Z
    endAt: 2036-01-01T00:00:00.000Z
    dst: { gap: skip, overlap: both }
    exclusions: [2026-12-24/2026-12-26]
    misfire: { policy: all, grace: PT5M, limit: 5 }
    overlap: skip
    maxConcurrentRuns: 2
    dependsOn: { schedule: r-every, within: PT1H }
    retry: { maxAttempts: 7 }
    timeout: PT30S
    jitter: PT10S
    maxRuns: 1000
    pauseAfterFailures: 3
    onFailure: https://example.com/failed
    slo: { startWithin: PT1M }
    target:
      type: webhook
      url: https://example.com/hook
      method: PUT
      headers: { authorization: "Bearer \${TOKEN}" }
    payload: { a: [1, "x", null], long: "two\\nlines" }
  - id: r-every
    rule: { every: PT90M }
    target: { type: queue, queue: reports }
  - id: r-rrule
    rule: { rrule: "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29" }
    leapDay: mar1
    target: { type: heartbeat, grace: PT10M }
  - id: r-at
    rule: { at: "2036-03-29T09:00:00" }
    timezone: Europe/Berlin
    target: { type: call, number: "+4930123456" }
`,
    );
    const env = { TOKEN: 'abc', CARILLON_URL: place.url, CARILLON_KEY: ADMIN_KEY };
    expect((await carillon(`apply -f ${file}`, env)).notes).toBe('4 created\n');
    expect((await carillon(`plan -f ${file} --detailed-exitcode`, env)).code).toBe(0);
    for (const name of ['out.yaml', 'out.json']) {
      const exported = await carillon(`export --set rich -o ${path(name)}`);
      expect(exported).toMatchObject({ code: 0, out: `${path(name)}: 4 schedules\n` });
      expect(exported.notes).toContain('1 with redacted headers');
      const again = await carillon(`plan -f ${path(name)} --prune --detailed-exitcode`);
      expect(again).toMatchObject({ code: 0, out: 'Nothing to change.\n' });
    }
    expect(readFileSync(path('out.yaml'), 'utf8')).not.toContain('abc');
    await carillon(['schedules', 'pause', 'r-every']);
    expect((await carillon('export --set rich')).notes).toContain(
      '1 paused; a file does not hold pauses: r-every',
    );
  });

  it('carillon export without a set leaves out the schedules that belong to sets, and says so', async () => {
    await carillon('schedules create --id x-delay --in 1h --tag exported --target handler:noop');
    await carillon('schedules create --id x-free --every 1h --tag exported --target handler:noop');
    const exported = await carillon('export --tag exported --format json');
    expect(JSON.parse(exported.out).schedules).toMatchObject([{ id: 'x-free', rule: { every: 'PT1H' } }]);
    expect(exported.notes).toContain('1 left out, because its rule is a delay');
    expect((await carillon('export')).notes).toMatch(/left out, because it belongs to a set .*; use --set/);
    expect((await carillon('export --set a --tag b')).code).toBe(2);
  });

  it('carillon schema prints the JSON schema of schedule files, and needs no API', async () => {
    const { code, out } = await carillon('schema', {});
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ title: 'Carillon schedules' });
  });
});
