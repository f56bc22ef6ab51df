import { type Draft, requestHashOf } from '@carillon/db';
import { QUEUES } from '@carillon/queue';
import {
  type Calendars,
  draftSchedule,
  type ScheduleDefaults,
  ScheduleInput,
  ScheduleKey,
  unstorable,
  writeExactly,
} from '@carillon/shared';
import { z } from 'zod';

/** A valid request, or the reason why it is refused. */
export type ReadResult<T> = { ok: true; value: T } | { ok: false; reason: string };

export interface ReadOptions {
  nowAt: number;
  defaults: ScheduleDefaults;
  /** Encrypts a secret; null if this worker has no encryption key. */
  seal: ((secret: string) => Buffer) | null;
  calendars: Calendars;
}

/** Maximum size of a request, the same as in the API. */
const MAX_REQUEST_LENGTH = 256 * 1_024;

/** The id is required: it makes a repeated request idempotent. */
const Request = ScheduleInput.required({ id: true });

/** Reads a `ScheduleRequest`: a schedule as the API takes it, or in short `{ id, at }` or `{ id, rrule }`. */
export function readRequest(
  data: unknown,
  { nowAt, defaults, seal, calendars }: ReadOptions,
): ReadResult<Draft> {
  if (writeExactly(data).length > MAX_REQUEST_LENGTH)
    return refuse(`expected at most ${MAX_REQUEST_LENGTH} characters`);
  const strange = unstorable(data);
  if (strange) return refuse(`${strange.field}: ${strange.message}`);
  const parsed = Request.safeParse(spellOut(data));
  if (!parsed.success) return refuse(problemsOf(parsed.error));
  const input = parsed.data;
  const { id: key, secret } = input;
  const result = draftSchedule(input, { key, nowAt, defaults, calendars });
  if (!result.ok)
    return refuse(result.problems.map(({ field, message }) => `${field}: ${message}`).join('; '));
  if (secret && !seal)
    return refuse('secret: this installation has no CARILLON_ENCRYPTION_KEY, so it stores no secrets');
  return {
    ok: true,
    value: {
      ...result.drafted,
      key,
      payload: input.payload === undefined ? null : writeExactly(input.payload),
      requestHash: requestHashOf(input),
      sealedSecret: secret && seal ? seal(secret) : null,
    },
  };
}

const Cancel = z.object({ id: ScheduleKey });

/** Reads a `ScheduleCancel`; returns the schedule's id. */
export function readCancel(data: unknown): ReadResult<string> {
  const parsed = Cancel.safeParse(data);
  return parsed.success ? { ok: true, value: parsed.data.id } : refuse(problemsOf(parsed.error));
}

/** Expands the short form to a whole schedule, with the queue `schedule-due` as its target. */
function spellOut(data: unknown): unknown {
  if (typeof data !== 'object' || data === null || 'rule' in data || !('at' in data || 'rrule' in data))
    return data;
  const { at, rrule, ...rest } = data as { at?: unknown; rrule?: unknown };
  const rule = { ...(at === undefined ? {} : { at }), ...(rrule === undefined ? {} : { rrule }) };
  return { target: { type: 'queue', queue: QUEUES.due }, ...rest, rule };
}

const refuse = (reason: string) => ({ ok: false, reason }) as const;

const problemsOf = ({ issues }: z.ZodError) =>
  issues.map(({ path, message }) => `${path.join('.') || 'request'}: ${message}`).join('; ');
