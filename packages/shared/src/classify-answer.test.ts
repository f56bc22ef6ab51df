import { describe, expect, it } from 'vitest';
import { classifyAnswer, closingOf, isOriginFailure } from './outcome.js';

const NOW_AT = Date.parse('2026-11-16T09:00:00.000Z');
const RETRY = { maxAttempts: 3, baseDelayMs: 60_000, maxDelayMs: 3_600_000, jitter: false };
const answer = (status: number, { retryAfter = null as string | null, text = '' } = {}) =>
  classifyAnswer({ status, retryAfter, text }, NOW_AT);

/** The HTTP status, the next state after a first attempt, and whether it counts as a failure of the origin. */
const TABLE: [number, 'succeeded' | 'failed' | 'retrying', boolean][] = [
  [200, 'succeeded', false],
  [201, 'succeeded', false],
  [202, 'succeeded', false],
  [204, 'succeeded', false],
  [299, 'succeeded', false],
  [300, 'failed', false],
  [301, 'failed', false],
  [302, 'failed', false],
  [304, 'failed', false],
  [307, 'failed', false],
  [308, 'failed', false],
  [400, 'failed', false],
  [401, 'failed', false],
  [403, 'failed', false],
  [404, 'failed', false],
  [408, 'retrying', false],
  [409, 'failed', false],
  [410, 'failed', false],
  [413, 'failed', false],
  [422, 'failed', false],
  [425, 'retrying', false],
  [429, 'retrying', false],
  [500, 'retrying', true],
  [501, 'retrying', true],
  [502, 'retrying', true],
  [503, 'retrying', true],
  [504, 'retrying', true],
  [599, 'retrying', true],
];

describe('classification of HTTP answers', () => {
  it.each(TABLE)(
    'a run whose first attempt gets the HTTP status %i is then %s',
    (status, becomes, isAgainstOrigin) => {
      const outcome = answer(status);
      expect(closingOf(outcome, { retry: RETRY, attempt: 1, random: 0 }).status).toBe(becomes);
      expect(isOriginFailure(outcome)).toBe(isAgainstOrigin);
    },
  );

  it('only HTTP status 410 marks the receiver as gone', () => {
    const gone = TABLE.map(([status]) => answer(status)).filter(
      (outcome) => outcome.kind === 'failed' && outcome.isGone,
    );
    expect(gone).toMatchObject([{ errorCode: 'http_410' }]);
  });

  it('a transient failure of the last attempt fails the run for good', () => {
    expect(closingOf(answer(503), { retry: RETRY, attempt: 3, random: 0 })).toEqual({
      status: 'failed',
      retryInMs: null,
    });
  });

  it.each([
    ['120', 120_000],
    ['0', 0],
    ['Mon, 16 Nov 2026 09:00:30 GMT', 30_000],
    ['Mon Nov 16 09:01:00 2026', 60_000],
    ['Mon, 16 Nov 2026 08:00:00 GMT', 0],
    ['999999', 3_600_000],
    ['soon', 60_000],
    ['-5', 60_000],
    ['1.5', 60_000],
    ['2026', 2_026_000],
  ])('a Retry-After header of %j delays the retry by %i ms', (retryAfter, retryInMs) => {
    expect(closingOf(answer(429, { retryAfter }), { retry: RETRY, attempt: 1, random: 0 })).toEqual({
      status: 'retrying',
      retryInMs,
    });
  });

  it.each([
    ['{"id":"call_1","status":"queued"}', 'call_1'],
    ['  {"id": 42}', '42'],
    ['{"id":null}', null],
    ['{"id":{"a":1}}', null],
    ['{"id":"', null],
    ['[{"id":"a"}]', null],
    ['hello', null],
    ['', null],
  ])('the receiver’s answer %j gives the attempt the external id %j', (text, externalId) => {
    expect(answer(201, { text })).toMatchObject({ answer: { externalId } });
  });
});
