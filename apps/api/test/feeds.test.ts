import { useEngine } from '@carillon/testkit';
import ICAL from 'ical.js';
import { describe, expect, it } from 'vitest';
import { scheduleBody, useApi } from './use-api.js';

const api = useApi();
const engine = useEngine(api.database);
const create = async (more: Record<string, unknown>) =>
  (await api.call('POST', '/v1/schedules', { body: scheduleBody(more) })).body;
const newFeed = async (body: object) => (await api.call('POST', '/v1/feeds', { body })).body;
const read = (url: string) => api.call('GET', url, { key: null });

/** Parses a feed with an independent parser. */
function eventsOf(text: string): ICAL.Event[] {
  const calendar = new ICAL.Component(ICAL.parse(text));
  expect(calendar.getFirstPropertyValue('version')).toBe('2.0');
  return calendar.getAllSubcomponents('vevent').map((event) => new ICAL.Event(event));
}
const LONG = 'Rechnungen; Mahnungen, Löhne – 日本 '.repeat(4).trim();

describe('iCal feeds', () => {
  it('an iCal feed lists coming occurrences, and an independent iCal parser can read it', async () => {
    const { id } = await create({ rule: { cron: '0 9 * * *' }, name: LONG, tags: ['feed-a', 'x,y'] });
    const feed = await newFeed({ name: 'a', tag: 'feed-a' });
    const { status, headers, text } = await read(feed.url);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/calendar; charset=utf-8');
    const events = eventsOf(text);
    expect(events.length).toBeGreaterThan(50);
    const [first] = events;
    const { body } = await api.call('GET', `/v1/schedules/${id}`);
    expect(first?.startDate.toJSDate().toISOString()).toBe(body.nextRunAt);
    expect(first?.summary).toBe(LONG);
    expect(first?.description).toContain('at 09:00 every day');
    expect(first?.component.getFirstProperty('categories')?.getValues()).toEqual(['feed-a', 'x,y']);
    expect(new Set(events.map(({ uid }) => uid)).size).toBe(events.length);
  });

  it('an iCal feed ends its lines with CRLF, folds them at 75 bytes and has a DTSTAMP in each event', async () => {
    const { url } = await newFeed({ name: 'b', tag: 'feed-a' });
    const { text } = await read(url);
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    for (const line of text.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
    expect(text.match(/^DTSTAMP:\d{8}T\d{6}Z\r$/gm)?.length).toBe(text.match(/^BEGIN:VEVENT\r$/gm)?.length);
  });

  it('an occurrence keeps its UID in an iCal feed after it has run, and then shows its outcome', async () => {
    const at = new Date(Date.now() + 3_600_000).toISOString();
    const { id } = await create({ rule: { at }, name: 'Once' });
    const { url } = await newFeed({ name: 'c', schedule: id });
    const [before] = eventsOf((await read(url)).text);
    expect(before?.summary).toBe('Once');
    const now = Date.parse(at);
    const [run] = (await engine.claim(now)).filter(({ scheduleKey }) => scheduleKey === id);
    if (!run) throw new Error('nothing was claimed');
    await engine.succeed(run, now);
    // The run lies an hour ahead of the clock. Its occurrence is moved to the past, so that the feed shows it.
    await api.database.pool.query(
      `update carillon.runs set occurrence_at = occurrence_at - interval '2 hours' where schedule_id = $1`,
      [run.scheduleId],
    );
    const [after] = eventsOf((await read(url)).text);
    expect(after?.summary).toBe('Once (succeeded)');
    const shifted = String(Date.parse(at) - 7_200_000);
    expect(after?.uid).toBe(before?.uid.replace(String(Date.parse(at)), shifted));
  });

  it('an iCal feed shows the occurrences that an outage has skipped as one cancelled event, with their number and the reason', async () => {
    const { id } = await create({ rule: { cron: '* * * * *' }, name: 'Frequent' });
    const { url } = await newFeed({ name: 'f', schedule: id });
    // The next occurrence is moved a day into the past, as if no worker had claimed anything since then.
    await api.database.pool.query(
      `update carillon.agenda set occurrence_at = occurrence_at - interval '1 day', due_at = due_at - interval '1 day'
       where schedule_id = (select id from carillon.schedules where key = $1)`,
      [id],
    );
    await engine.claim(Date.now());
    const { rows } = await api.database.pool.query(
      `select g.from_at as "fromAt", g.count from carillon.gaps g
       join carillon.schedules s on s.id = g.schedule_id where s.key = $1`,
      [id],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0].count).toBeGreaterThan(1_000);
    const past = eventsOf((await read(url)).text).filter(
      ({ component }) => component.getFirstPropertyValue('status') === 'CANCELLED',
    );
    expect(past).toHaveLength(1);
    expect(past[0]?.startDate.toJSDate().getTime()).toBe(Math.floor(rows[0].fromAt / 1_000) * 1_000);
    expect(past[0]?.summary).toBe(`Frequent (${rows[0].count} skipped)`);
    expect(past[0]?.description).toMatch(/skipped, \d+ occurrences until .+Z: /);
  });

  it('an iCal feed of a whole project lists every schedule of this project and none of another project', async () => {
    const key = await api.keyFor({ project: 'feeds-whole' });
    const post = (path: string, body: object) => api.call('POST', path, { key, body });
    const ids: string[] = [];
    for (const tags of [['a'], []])
      ids.push((await post('/v1/schedules', scheduleBody({ tags, rule: { in: 'PT1H' } }))).body.id);
    await create({ name: 'Of another project', rule: { in: 'PT1H' } });
    const feed = (await post('/v1/feeds', { name: 'whole' })).body;
    expect(feed).toMatchObject({ schedule: null, tag: null });
    expect(eventsOf((await read(feed.url)).text).map(({ summary }) => summary)).toEqual(ids);
  });

  it('the token of an iCal feed is stored as a hash, reads only its own feed, and is refused after it was revoked', async () => {
    const feed = await newFeed({ name: 'd', tag: 'nothing-has-this-tag' });
    expect(eventsOf((await read(feed.url)).text)).toEqual([]);
    const { rows } = await api.database.pool.query('select * from carillon.feeds where id = $1', [feed.id]);
    expect(JSON.stringify(rows)).not.toContain(feed.token);
    expect((await api.call('GET', '/v1/schedules', { key: feed.token })).status).toBe(401);
    const listed = await api.call('GET', '/v1/feeds');
    expect(listed.body.items[0]).toMatchObject({ id: feed.id, lastUsedAt: expect.any(String) });
    expect(JSON.stringify(listed.body)).not.toContain(feed.token);
    const other = await api.keyFor({ project: 'feeds-other' });
    expect((await api.call('DELETE', `/v1/feeds/${feed.id}`, { key: other })).status).toBe(404);
    expect((await api.call('DELETE', `/v1/feeds/${feed.id}`)).status).toBe(200);
    expect((await read(feed.url)).status).toBe(404);
  });

  it('an iCal feed of an unknown schedule, or of both a schedule and a tag, is refused', async () => {
    const post = (body: object) => api.call('POST', '/v1/feeds', { body });
    expect((await post({ name: 'x', schedule: 'unknown' })).status).toBe(404);
    expect((await post({ name: 'x', schedule: 'a', tag: 'b' })).status).toBe(400);
  });

  it('an iCal feed that is read too often is answered with 429', async () => {
    const { url } = await newFeed({ name: 'e', tag: 'nothing-has-this-tag' });
    const statuses = new Set<number>();
    for (let i = 0; i < 40; i++) statuses.add((await read(url)).status);
    expect(statuses).toEqual(new Set([200, 429]));
  });
});
