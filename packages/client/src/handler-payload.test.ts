import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { toRequest } from './handler-payload.js';
import type { Schedules } from './resources/schedules.js';

const sendDigest = {
  name: 'send-digest',
  schema: z.object({ to: z.email(), limit: z.string().transform(Number) }),
};

/** This function is never called. The compiler checks the calls in it. */
const callsToCheck = (schedules: Schedules) => {
  const rule = { cron: '0 9 * * *' };
  schedules.create({ rule, handler: sendDigest, payload: { to: 'ada@example.com', limit: '5' } });
  schedules.createMany([{ rule, handler: sendDigest, payload: { to: 'ada@example.com', limit: '5' } }]);
  schedules.update('digest', { handler: sendDigest, payload: { to: 'ada@example.com', limit: '5' } });
  schedules.create({ rule, handler: { name: 'anything' }, payload: ['any', 'json'] });
  // @ts-expect-error: the payload is required.
  schedules.create({ rule, handler: sendDigest });
  // @ts-expect-error: `limit` must be a string, which the schema converts to a number.
  schedules.create({ rule, handler: sendDigest, payload: { to: 'ada@example.com', limit: 5 } });
  // @ts-expect-error: `to` is missing.
  schedules.update('digest', { handler: sendDigest, payload: { limit: '5' } });
};

describe('A schedule for a typed handler', () => {
  it('the client sends a typed handler as the target of the schedule, and the payload as it was given', async () => {
    expect(callsToCheck).toBeTypeOf('function');
    const payload = { to: 'ada@example.com', limit: '5' };
    expect(await toRequest({ id: 'digest', handler: sendDigest, payload })).toEqual({
      id: 'digest',
      payload,
      target: { type: 'handler', name: 'send-digest' },
    });
  });

  it('the client refuses a payload that does not match the schema of its typed handler, and the error names the field and the handler', async () => {
    await expect(toRequest({ handler: sendDigest, payload: { to: 'ada' } })).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringMatching(
        /^the payload does not fit the schema of the handler send-digest: to: .*; limit: /,
      ),
    });
  });

  it('the client sends a schedule as it is if it has a plain target and no typed handler', async () => {
    const schedule = { rule: { in: 'PT1S' }, target: { type: 'handler', name: 'log' } };
    expect(await toRequest(schedule)).toBe(schedule);
  });
});
