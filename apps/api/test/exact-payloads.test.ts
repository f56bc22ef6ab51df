import { describe, expect, it } from 'vitest';
import { useApi } from './use-api.js';

const api = useApi();

const PAYLOAD = '{"order":12345678901234567890,"parts":[-9007199254740993,1],"text":"12345678901234567890"}';

/** Sends the text unchanged, because JSON.stringify would round the integers. */
async function send(method: string, path: string, text: string, headers: Record<string, string> = {}) {
  const { key } = (await api.call('POST', '/v1/keys', { body: { name: 'exact', scopes: ['read', 'write'] } }))
    .body;
  const response = await fetch(`${api.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: text,
  });
  return { status: response.status, text: await response.text() };
}

const scheduleText = (id: string, payload: string) =>
  `{"id":"${id}","rule":{"cron":"0 9 1 1 *"},"target":{"type":"handler","name":"noop"},"payload":${payload}}`;
const stored = async (id: string) => {
  const { rows } = await api.database.pool.query(
    'select payload::text as payload from carillon.schedules where key = $1',
    [id],
  );
  return rows[0].payload;
};

describe('Integers beyond 2^53 in payloads', () => {
  it('integers beyond 2^53 in a payload are stored and returned without losing a digit', async () => {
    const created = await send('POST', '/v1/schedules', scheduleText('big', PAYLOAD));
    expect(created.status).toBe(201);
    expect(created.text).toContain(`"payload":${PAYLOAD}`);
    expect(await stored('big')).toBe(PAYLOAD);
    expect((await api.call('GET', '/v1/schedules/big')).text).toContain(`"payload":${PAYLOAD}`);
    expect((await api.call('GET', '/v1/schedules?q=big')).text).toContain(`"payload":${PAYLOAD}`);
  });

  it('a repeated create answers 409 if only the last digit of an integer beyond 2^53 differs, and 200 if every digit is the same', async () => {
    await send('POST', '/v1/schedules', scheduleText('same', '12345678901234567890'));
    const again = await send('POST', '/v1/schedules', scheduleText('same', '12345678901234567890'));
    const other = await send('POST', '/v1/schedules', scheduleText('same', '12345678901234567891'));
    expect([again.status, other.status]).toEqual([200, 409]);
  });

  it('an edit, a bulk create and a request with an Idempotency-Key keep every digit of integers beyond 2^53', async () => {
    await send('POST', '/v1/schedules', scheduleText('edited', '1'));
    await send('PATCH', '/v1/schedules/edited', `{"payload":${PAYLOAD}}`);
    expect(await stored('edited')).toBe(PAYLOAD);
    expect((await api.call('GET', '/v1/schedules/edited/versions')).text).toContain(`"payload":${PAYLOAD}`);
    await send('POST', '/v1/schedules/bulk', `{"items":[${scheduleText('bulk', PAYLOAD)}]}`);
    expect(await stored('bulk')).toBe(PAYLOAD);
    const keyed = () =>
      send('POST', '/v1/schedules', scheduleText('keyed', PAYLOAD), { 'idempotency-key': 'once' });
    const first = await keyed();
    expect(first.text).toContain(`"payload":${PAYLOAD}`);
    expect((await keyed()).text).toBe(first.text);
  });

  it('an integer beyond 2^53 outside a payload is refused, and the error names the field', async () => {
    const { status, text } = await send(
      'POST',
      '/v1/schedules',
      '{"rule":{"cron":"0 9 1 1 *"},"maxRuns":12345678901234567890}',
    );
    expect(status).toBe(400);
    expect(JSON.parse(text).errors[0].field).toBe('maxRuns');
  });
});
