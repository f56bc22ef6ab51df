import { formatDuration } from '@carillon/shared';
import { collectDrafts, type ImportResult, type ReadItem } from './collect-drafts.js';
import { noEquivalent, unusedSettings } from './no-equivalent.js';
import { asFields, asInstant, asNumber, asText, type Fields } from './read-fields.js';

/** A job scheduler as BullMQ stores it in Redis: its key, the time of its next job, and its hash. */
export interface BullmqScheduler {
  queue: string;
  key: string;
  nextAt: number;
  /** Empty for a repeatable job of a BullMQ version that had no job schedulers yet. */
  hash: Readonly<Record<string, string>>;
}

const IS_DELIVERED_AS =
  'the job arrives as ScheduleDue, with its data in `payload`, if the target is a queue';

/**
 * Turns the job schedulers of BullMQ into schedules. The target is the queue of the scheduler unless another one is
 * given.
 */
export function importBullmq(schedulers: readonly BullmqScheduler[]): ImportResult {
  return collectDrafts('bullmq', schedulers, {
    sourceOf: ({ queue, key }) => `${queue}/${key}`,
    read: readScheduler,
  });
}

function readScheduler({ queue, key, nextAt, hash }: BullmqScheduler): ReadItem {
  const { pattern, every, tz } = hash;
  const rule = pattern ?? (every === undefined ? key : `every ${every} ms`);
  const job = key;
  if (pattern === undefined && every === undefined) {
    const reason =
      'is a repeatable job of an older version; turn it into a job scheduler with upsertJobScheduler first';
    return { job, rule, reason };
  }
  const opts = asFields(parse(hash.opts));
  const remarks = [`job name ${hash.name}: ${IS_DELIVERED_AS}`];
  return {
    job,
    rule,
    remarks: [...remarks, ...optionRemarks(opts)],
    schedule: {
      rule: pattern === undefined ? { every: formatDuration(Number(every)) } : { cron: pattern },
      timezone: tz ?? 'UTC',
      // An interval starts at the next job of the scheduler, so that its rhythm does not change.
      startAt: pattern === undefined ? new Date(nextAt).toISOString() : asInstant(hash.startDate),
      endAt: asInstant(hash.endDate),
      maxRuns: runsLeft(hash),
      retry: retryOf(opts),
      target: { type: 'queue', queue },
      payload: parse(hash.data) ?? null,
    },
  };
}

function parse(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * The number of runs that are left. `ic` counts the jobs that BullMQ has created. The latest of these jobs has not run
 * yet, so it still counts as left.
 */
function runsLeft({ limit, ic }: Readonly<Record<string, string>>): number | null {
  const most = asNumber(limit);
  return most === null ? null : Math.max(1, most - (asNumber(ic) ?? 1) + 1);
}

function retryOf(opts: Fields) {
  const backoff = asFields(opts.backoff);
  const delayMs = asNumber(backoff.delay) ?? asNumber(opts.backoff);
  return {
    maxAttempts: Math.min(100, Math.max(1, asNumber(opts.attempts) ?? 1)),
    ...(delayMs === null || delayMs === 0 ? {} : { baseDelay: formatDuration(delayMs) }),
  };
}

function optionRemarks(opts: Fields): string[] {
  const backoff = asFields(opts.backoff);
  const type = asText(backoff.type) ?? (asNumber(opts.backoff) === null ? 'exponential' : 'fixed');
  return [
    ...(type === 'exponential'
      ? []
      : [noEquivalent(`backoff ${type}`, 'the delay doubles with each attempt')]),
    ...unusedSettings(opts, ['attempts', 'backoff'], 'set it in the worker that takes the job'),
  ];
}
