import { HOUR_MS } from '@carillon/shared';
import { eventually, useEngine } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { scheduleBody, useApi } from './use-api.js';

const api = useApi();
const engine = useEngine(api.database);
const create = async (more: Record<string, unknown>) =>
  (await api.call('POST', '/v1/schedules', { body: scheduleBody(more) })).body;

describe('Rule preview', () => {
  it('a rule preview has the rule in words, local times and remarks about DST', async () => {
    const rule = {
      rule: { cron: '30 2 * * *' },
      timezone: 'Europe/Berlin',
      from: '2027-03-27T00:00:00Z',
      limit: 3,
    };
    const { status, body } = await api.call('POST', '/v1/rules/preview', { body: rule });
    expect(status).toBe(200);
    expect(body.text).toContain('02:30');
    expect(body.occurrences).toEqual([
      { at: '2027-03-27T01:30:00.000Z', local: '2027-03-27T02:30:00+01:00', remark: null },
      {
        at: '2027-03-28T01:00:00.000Z',
        local: '2027-03-28T03:00:00+02:00',
        remark: expect.stringContaining('does not exist'),
      },
      { at: '2027-03-29T00:30:00.000Z', local: '2027-03-29T02:30:00+02:00', remark: null },
    ]);
    expect(body.warnings.length).toBeGreaterThan(0);
  });

  it('a rule preview lists the occurrence of a one-shot in the past, because it would still run', async () => {
    const { body } = await api.call('POST', '/v1/rules/preview', {
      body: { rule: { at: '2020-01-01T00:00:00Z' } },
    });
    expect(body.occurrences).toHaveLength(1);
    expect(body.warnings).toContain('this instant is already past');
  });

  it.each([
    ['rule.rrule', { rule: { rrule: 'FREQ=SECONDLY;INTERVAL=-1' } }],
    ['timezone', { rule: { every: 'PT1H' }, timezone: '+02:00' }],
    ['limit', { rule: { every: 'PT1H' }, limit: 1_001 }],
  ])('a rule preview refuses an invalid %s', async (field, body) => {
    const answer = await api.call('POST', '/v1/rules/preview', { body });
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].field).toBe(field);
  });
});

describe('leap day policy of a schedule', () => {
  it('a schedule on 29 February shows the leap day policy that applies to it, even after its rule is replaced', async () => {
    const { id, leapDay } = await create({ rule: { cron: '0 0 29 2 *' } });
    expect(leapDay).toBe('skip');
    const read = async () => (await api.call('GET', `/v1/schedules/${id}`)).body;
    expect(await read()).toMatchObject({ leapDay: 'skip' });
    expect(new Date((await read()).nextRunAt).toISOString().slice(5, 10)).toBe('02-29');

    const yearly = { rrule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29' };
    await api.call('PATCH', `/v1/schedules/${id}`, { body: { rule: yearly } });
    expect(await read()).toMatchObject({ leapDay: 'feb28' });

    await api.call('PATCH', `/v1/schedules/${id}`, { body: { leapDay: 'mar1' } });
    await api.call('PATCH', `/v1/schedules/${id}`, { body: { rule: { cron: '0 9 29 2 *' } } });
    expect(await read()).toMatchObject({ leapDay: 'mar1' });
  });
});

describe('Next occurrences', () => {
  it('GET /v1/schedules/:id/occurrences begins with the next run and returns pages', async () => {
    const { id } = await create({ rule: { cron: '0 9 * * *' }, timezone: 'Asia/Tokyo' });
    const path = `/v1/schedules/${id}/occurrences?limit=2`;
    const first = (await api.call('GET', path)).body;
    expect(first.items[0].local).toMatch(/T09:00:00\+09:00$/);
    const second = (await api.call('GET', `${path}&cursor=${first.nextCursor}`)).body;
    const days = [...first.items, ...second.items].map(({ at }) => Date.parse(at) / 86_400_000);
    expect(days.map((day) => day - (days[0] as number))).toEqual([0, 1, 2, 3]);
  });

  it('GET /v1/schedules/:id/occurrences lists no more occurrences than maxRuns still allows, and none for a cancelled schedule', async () => {
    const { id } = await create({ rule: { every: 'PT1H' }, maxRuns: 3 });
    const { body } = await api.call('GET', `/v1/schedules/${id}/occurrences?limit=10`);
    expect(body.items).toHaveLength(3);
    expect(body.nextCursor).toBeNull();
    await api.call('DELETE', `/v1/schedules/${id}`);
    expect((await api.call('GET', `/v1/schedules/${id}/occurrences`)).body.items).toEqual([]);
  });

  it('GET /v1/schedules/:id/occurrences shows the new due time of a rescheduled occurrence', async () => {
    const { id } = await create({ rule: { every: 'PT1H' } });
    const at = new Date(Date.now() + 10 * HOUR_MS).toISOString();
    await api.call('POST', `/v1/schedules/${id}/reschedule`, { body: { at } });
    const { items } = (await api.call('GET', `/v1/schedules/${id}/occurrences?limit=2`)).body;
    expect(items[0].dueAt).toBe(at);
    // The rescheduled occurrence replaces the occurrences before its new time, so they are not listed.
    expect(Date.parse(items[1].at)).toBeGreaterThan(Date.parse(at));
  });
});

describe('Forecast', () => {
  it('GET /v1/forecast counts the fires of each minute', async () => {
    const key = await api.keyFor({ project: 'forecast' });
    const make = (body: Record<string, unknown>) =>
      api.call('POST', '/v1/schedules', { key, body: scheduleBody(body) });
    for (let i = 0; i < 3; i++) await make({ rule: { cron: '*/10 * * * *' } });
    await make({ rule: { in: 'PT30M' } });
    await make({ rule: { every: 'PT1M' }, maxRuns: 5 });
    await make({ rule: { at: '2040-01-01T00:00:00Z' } });
    // On a busy machine the first answer may come before all fires are counted. It then has `complete: false`.
    const body = await eventually(async () => {
      const { body } = await api.call('GET', '/v1/forecast?hours=1', { key });
      return body.complete && body;
    });
    expect(body.total).toBe(3 * 6 + 1 + 5);
    expect(body.minutes.reduce((sum: number, { fires }: { fires: number }) => sum + fires, 0)).toBe(
      body.total,
    );
    expect((await api.call('GET', '/v1/forecast?hours=169', { key })).status).toBe(400);
  });

  it('GET /v1/forecast/minute lists every schedule that fires in the given minute, even if the schedule also fires earlier', async () => {
    const key = await api.keyFor({ project: 'minute' });
    const make = (body: Record<string, unknown>) =>
      api.call('POST', '/v1/schedules', { key, body: scheduleBody(body) });
    const at = new Date(Math.ceil(Date.now() / 3_600_000) * 3_600_000 + 5 * 3_600_000).toISOString();
    await make({ id: 'once', rule: { at } });
    await make({ id: 'hourly', rule: { cron: '0 * * * *' } });
    await make({ id: 'thrice', rule: { cron: '0 * * * *' }, maxRuns: 3 });
    await make({ id: 'half-past', rule: { cron: '30 * * * *' } });
    await make({ id: 'paused', rule: { cron: '0 * * * *' } });
    await api.call('POST', '/v1/schedules/paused/pause', { key });
    const minute = await eventually(async () => {
      const { body } = await api.call('GET', `/v1/forecast/minute?at=${at}`, { key });
      return body.complete && body;
    });
    expect(minute).toMatchObject({ at, fires: 2 });
    const ids = minute.schedules.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(['once', 'hourly']);
    expect(minute.schedules[0]).toMatchObject({ nextRunAt: at, targetType: 'handler' });
  });

  it('GET /v1/forecast/minute marks its response as incomplete if a schedule with limited runs fires more than 1,000 times before the minute', async () => {
    const key = await api.keyFor({ project: 'limited-runs' });
    const nowAt = Date.now();
    const minuteIn = (hours: number) => new Date(nowAt + hours * 3_600_000).toISOString();
    const read = async (hours: number) =>
      (await api.call('GET', `/v1/forecast/minute?at=${minuteIn(hours)}`, { key })).body;
    const body = { id: 'limited', rule: { every: 'PT10S' }, maxRuns: 2_000 };
    await api.call('POST', '/v1/schedules', { key, body: scheduleBody(body) });
    // Until then it fires about 360 times, so the API can tell that its 2,000 runs are not used up.
    const near = await eventually(async () => {
      const answer = await read(1);
      return answer.complete && answer;
    });
    expect(near).toMatchObject({ fires: 6, schedules: [{ id: 'limited' }] });
    // Until then it fires about 1,440 times. The API does not list so many occurrences.
    const far = await eventually(async () => {
      const answer = await read(4);
      return answer.fires === 6 && answer;
    });
    expect(far).toMatchObject({ complete: false, schedules: [] });
  });

  it.each(['2020-01-01T00:00:00Z', '2040-01-01T00:00:00Z'])(
    'GET /v1/forecast/minute refuses %s, which is not within the next week',
    async (at) => {
      const { status, body } = await api.call('GET', `/v1/forecast/minute?at=${at}`);
      expect([status, body.errors[0].field]).toEqual([400, 'at']);
    },
  );
});

describe('Ledger', () => {
  const ledger = async (id: string, query = '') =>
    (await api.call('GET', `/v1/schedules/${id}/ledger?${query}`)).body;
  /** Makes a schedule look as if it had been created some hours earlier. */
  const moveBack = (id: string, hours: number) =>
    api.database.pool.query(
      `with moved as (
         update carillon.schedules
         set created_at = created_at - $2 * interval '1 hour', defined_at = defined_at - $2 * interval '1 hour',
             timing = regexp_replace(timing, '"anchorAt":\\d+', '"anchorAt":' || (substring(timing from '"anchorAt":(\\d+)')::bigint - $2 * 3600000))
         where key = $1 returning id
       )
       update carillon.agenda a
       set occurrence_at = a.occurrence_at - $2 * interval '1 hour', due_at = a.due_at - $2 * interval '1 hour'
       from moved where a.schedule_id = moved.id`,
      [id, hours],
    );

  it('the ledger lists upcoming, executed and missed occurrences, and says how late each executed one was', async () => {
    const { id } = await create({ rule: { every: 'PT1H' }, misfire: { policy: 'once', grace: 'PT1M' } });
    await moveBack(id, 5);
    await engine.claim(Date.now());
    const from = new Date(Date.now() - 6 * HOUR_MS).toISOString();
    const to = new Date(Date.now() + 2 * HOUR_MS).toISOString();
    const { items, nextCursor } = await ledger(id, `from=${from}&to=${to}`);
    expect(nextCursor).toBeNull();
    const statuses = items.map((entry: { status: string }) => entry.status);
    expect(statuses.slice(0, -3)).toEqual(statuses.slice(0, -3).map(() => 'skipped'));
    expect(statuses.slice(-3)).toEqual(['running', 'upcoming', 'upcoming']);
    expect(items[0].why).toBe('skipped: missed; the latest missed one was run instead');
    expect(items.at(-3)).toMatchObject({
      why: expect.stringMatching(/ late/),
      runId: expect.stringMatching(/^run_r/),
    });
  });

  it('the ledger shows each occurrence under the definition that was in effect at its time', async () => {
    const { id } = await create({ rule: { every: 'PT1H' } });
    await moveBack(id, 5);
    await api.call('PATCH', `/v1/schedules/${id}`, { body: { rule: { every: 'PT3H' } } });
    const from = new Date(Date.now() - 10 * HOUR_MS).toISOString();
    const to = new Date(Date.now() + 7 * HOUR_MS).toISOString();
    const { items } = await ledger(id, `from=${from}&to=${to}`);
    const versions = items.map((entry: { version: number; status: string }) => [entry.version, entry.status]);
    expect(
      versions.filter(([version, status]: [number, string]) => version === 2 && status === 'upcoming'),
    ).toHaveLength(2);
    expect(
      items.filter((entry: { at: string }) => Date.parse(entry.at) < Date.now()).length,
    ).toBeGreaterThanOrEqual(4);
    expect(versions.some(([, status]: [number, string]) => status === 'missing')).toBe(false);
  });

  it('the ledger names the key that paused or cancelled a schedule, and shows the note', async () => {
    const { id } = await create({ rule: { every: 'PT1H' } });
    await api.call('POST', `/v1/schedules/${id}/pause`, { body: { note: 'incident 7' } });
    expect((await ledger(id)).items[0]).toMatchObject({
      status: 'paused',
      why: expect.stringMatching(/^held: paused by admin at .*, note: incident 7$/),
    });
    await api.call('DELETE', `/v1/schedules/${id}`);
    expect((await ledger(id)).items[0]).toMatchObject({
      status: 'cancelled',
      why: expect.stringMatching(/cancelled by admin at /),
    });
  });

  it('the ledger lists a run that was started by hand, a skipped occurrence and an upcoming occurrence', async () => {
    const { id } = await create({ rule: { every: 'PT1H' }, maxRuns: 2 });
    await api.call('POST', `/v1/schedules/${id}/trigger`);
    await api.call('POST', `/v1/schedules/${id}/skip-next`);
    const { items } = await ledger(id);
    expect(items[0]).toMatchObject({ origin: 'trigger', status: 'queued' });
    expect(items[1]).toMatchObject({ origin: 'rule', status: 'skipped', why: 'skipped: skipped by admin' });
    expect(items[2]).toMatchObject({ status: 'upcoming' });
  });

  it('the ledger shows a pause of fifty years at one fire per second as one entry, without evaluating each second', async () => {
    const { id } = await create({ rule: { every: 'PT1S' } });
    await moveBack(id, 24 * 365 * 50);
    await api.call('POST', `/v1/schedules/${id}/pause`);
    await api.call('POST', `/v1/schedules/${id}/resume`);
    const { items } = await ledger(id, `from=1970-01-01T00:00:00Z&limit=3`);
    expect(items[0]).toMatchObject({
      status: 'skipped',
      why: expect.stringMatching(/^skipped: paused by admin/),
    });
    expect(items[0].count).toBeGreaterThan(1_550_000_000);
    expect(items[1].status).not.toBe('skipped');
  });

  it('the ledger has the same entries whether it is read in pages or at once', async () => {
    const { id } = await create({ rule: { every: 'PT1M' } });
    for (let i = 0; i < 3; i++) await api.call('POST', `/v1/schedules/${id}/trigger`);
    const to = new Date(Date.now() + HOUR_MS / 4).toISOString();
    const whole = (await ledger(id, `to=${to}`)).items;
    const paged: unknown[] = [];
    let cursor: string | null = null;
    do {
      const page: { items: unknown[]; nextCursor: string | null } = await ledger(
        id,
        `to=${to}&limit=2${cursor ? `&cursor=${cursor}` : ''}`,
      );
      paged.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(paged).toEqual(whole);
    expect(whole.length).toBeGreaterThanOrEqual(17);
  });

  it('the ledger refuses a range that ends before it begins', async () => {
    const { id } = await create({});
    const answer = await api.call(
      'GET',
      `/v1/schedules/${id}/ledger?from=2027-01-01T00:00:00Z&to=2026-01-01T00:00:00Z`,
    );
    expect(answer.status).toBe(400);
  });
});
