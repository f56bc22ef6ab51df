import type { AttemptView, RunView } from '@carillon/db';
import { describe, expect, it } from 'vitest';
import { presentAttempt, presentRun } from './run.js';

const DUE_AT = Date.parse('2026-11-17T09:00:00Z');

const run = (more: Partial<RunView>): RunView => ({
  scheduleId: 1,
  scheduleKey: 'invoice-42',
  origin: 'rule',
  occurrenceAt: DUE_AT,
  status: 'running',
  version: 1,
  dueAt: DUE_AT,
  recordedAt: DUE_AT + 20,
  handler: null,
  happenedAt: DUE_AT + 20,
  attempt: 1,
  epoch: 7,
  replays: 0,
  latenessMs: null,
  nextAttemptAt: null,
  progress: null,
  reasonCode: null,
  reason: null,
  workerId: 3,
  claimedAt: DUE_AT + 20,
  finishedAt: null,
  outcome: null,
  httpStatus: null,
  durationMs: null,
  errorCode: null,
  error: null,
  response: null,
  externalId: null,
  ...more,
});

describe('presentRun', () => {
  it('nextRetryAt of a run is the time of its next attempt, and null while a pause of the schedule holds the run', () => {
    const held = run({ status: 'retrying', nextAttemptAt: Number.POSITIVE_INFINITY });
    expect(presentRun(held).nextRetryAt).toBeNull();
    const waiting = run({ status: 'retrying', nextAttemptAt: DUE_AT + 60_000 });
    expect(presentRun(waiting).nextRetryAt).toBe('2026-11-17T09:01:00.000Z');
  });

  it.each([
    ['as the time from due to claimed while the first attempt is in flight', {}, 20],
    ['as recorded once the first attempt has ended', { status: 'succeeded', latenessMs: 33 }, 33],
    ['as recorded while a later attempt is in flight', { attempt: 2, latenessMs: 33 }, 33],
    ['as null while a later attempt is in flight, if the first worker was lost', { attempt: 2 }, null],
    ['as null if the run never started', { status: 'skipped', attempt: 0, claimedAt: null }, null],
  ] as const)('the API shows the lateness of a run %s', (_when, more, latenessMs) => {
    expect(presentRun(run(more)).latenessMs).toBe(latenessMs);
  });
});

describe('presentAttempt', () => {
  const shown = (of: Partial<RunView>, response: string) => {
    const attempt: AttemptView = { ...run({}), number: 1, epoch: 7, response };
    const { response: text, result, resultError } = presentAttempt(run(of), attempt);
    return { response: text, result, resultError };
  };

  it.each(['{"value":3}', '{"error":"disk full"}'])(
    'the API shows the body %s of a ping as the response of the attempt, and not as the result of a handler',
    (body) => {
      expect(shown({}, body)).toEqual({ response: body, result: null, resultError: null });
    },
  );

  it('the API shows the value that a handler returned as the result of the attempt, and not as a response', () => {
    const handler = { handler: 'export' };
    expect(shown(handler, '{"value":3}')).toEqual({ response: null, result: 3, resultError: null });
    const tooLarge = { response: null, result: null, resultError: 'too large' };
    expect(shown(handler, '{"error":"too large"}')).toEqual(tooLarge);
  });
});
