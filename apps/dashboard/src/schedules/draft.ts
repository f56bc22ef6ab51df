import type {
  Dst,
  Misfire,
  Overlap,
  Rule,
  Schedule,
  ScheduleInput,
  SchedulePatch,
  TargetInput,
  WebhookTarget,
} from '@carillon/client';
import { parseExactly } from '../api/exact-json.js';
import { cronOfDays, type Days, daysOfCron } from './cron-of-days.js';
import { NO_OBJECTIVES, type Objectives, objectivesOf, sloOf } from './objectives.js';

export type RuleKind = 'once' | 'every' | 'days' | 'cron' | 'rrule';

/**
 * A schedule that a person is writing. Every typed field is plain text, so that a draft can be stored and survives a
 * reload.
 */
export interface Draft {
  id: string;
  name: string;
  tags: string;
  kind: RuleKind;
  at: string;
  every: string;
  days: Days;
  cron: string;
  rrule: string;
  timezone: string;
  startAt: string;
  endAt: string;
  maxRuns: string;
  jitter: string;
  exclusions: string;
  dst: Dst;
  misfire: Misfire['policy'];
  overlap: Overlap;
  maxAttempts: string;
  timeout: string;
  pauseAfterFailures: string;
  targetType: TargetInput['type'];
  url: string;
  method: NonNullable<WebhookTarget['method']>;
  body: NonNullable<WebhookTarget['body']>;
  headers: string;
  queue: string;
  handler: string;
  number: string;
  grace: string;
  startGrace: string;
  objectives: Objectives;
  payload: string;
}

/** The properties of each group of fields in the form. */
export interface DraftFieldsProps {
  draft: Draft;
  error: unknown;
  onChange: (change: Partial<Draft>) => void;
}

export const EMPTY_DRAFT: Draft = {
  id: '',
  name: '',
  tags: '',
  kind: 'days',
  at: '',
  every: 'PT15M',
  days: { by: 'week', weekdays: [1, 2, 3, 4, 5], monthDays: '1', time: '09:00' },
  cron: '0 9 * * 1-5',
  rrule: 'FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=17;BYMINUTE=0;BYSECOND=0',
  timezone: 'UTC',
  startAt: '',
  endAt: '',
  maxRuns: '',
  jitter: '',
  exclusions: '',
  dst: { gap: 'shift', overlap: 'first' },
  misfire: 'once',
  overlap: 'allow',
  maxAttempts: '3',
  timeout: 'PT15S',
  pauseAfterFailures: '',
  targetType: 'webhook',
  url: '',
  method: 'POST',
  body: 'envelope',
  headers: '',
  queue: 'schedule-due',
  handler: 'log',
  number: '',
  grace: 'PT30M',
  startGrace: '',
  objectives: NO_OBJECTIVES,
  payload: '{}',
};

export function ruleOf(draft: Draft): Rule {
  switch (draft.kind) {
    case 'once':
      return { at: draft.at };
    case 'every':
      return { every: draft.every };
    case 'days':
      return { cron: cronOfDays(draft.days) };
    case 'cron':
      return { cron: draft.cron };
    case 'rrule':
      return { rrule: draft.rrule };
  }
}

/** The fields that decide when the schedule fires. The preview sends them to the API. */
export const timingOf = (draft: Draft) => ({
  rule: ruleOf(draft),
  timezone: draft.timezone,
  startAt: draft.startAt || null,
  endAt: draft.endAt || null,
  dst: draft.dst,
  exclusions: wordsOf(draft.exclusions),
});

/** The draft as a request. Throws if the payload is not JSON. */
export function requestOf(draft: Draft): ScheduleInput {
  return {
    ...(draft.id === '' ? {} : { id: draft.id }),
    name: draft.name || null,
    tags: wordsOf(draft.tags),
    ...timingOf(draft),
    maxRuns: numberOf(draft.maxRuns),
    jitter: draft.jitter || null,
    misfire: { policy: draft.misfire },
    overlap: draft.overlap,
    retry: { maxAttempts: Number(draft.maxAttempts) },
    timeout: draft.timeout,
    pauseAfterFailures: numberOf(draft.pauseAfterFailures),
    slo: sloOf(draft.objectives),
    target: targetOf(draft),
    payload: parseExactly(draft.payload || 'null'),
  };
}

/**
 * Returns only the fields that differ from the schedule as it was read. So the edit does not overwrite other changes.
 */
export function patchOf(draft: Draft, base: Schedule): SchedulePatch {
  const { id: _id, ...mine }: Record<string, unknown> = { ...requestOf(draft) };
  const before: Record<string, unknown> = { ...requestOf(draftOf(base)) };
  return Object.fromEntries(
    Object.entries(mine).filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(before[field])),
  );
}

export function draftOf(schedule: Schedule): Draft {
  const { rule, target } = schedule;
  const days = rule.cron === undefined ? null : daysOfCron(rule.cron);
  return {
    ...EMPTY_DRAFT,
    id: schedule.id,
    name: schedule.name ?? '',
    tags: schedule.tags.join(', '),
    kind: rule.at ? 'once' : rule.every ? 'every' : rule.rrule ? 'rrule' : days ? 'days' : 'cron',
    at: rule.at ?? '',
    every: rule.every ?? EMPTY_DRAFT.every,
    days: days ?? EMPTY_DRAFT.days,
    cron: rule.cron ?? EMPTY_DRAFT.cron,
    rrule: rule.rrule ?? EMPTY_DRAFT.rrule,
    timezone: schedule.timezone,
    startAt: schedule.startAt ?? '',
    endAt: schedule.endAt ?? '',
    maxRuns: String(schedule.maxRuns ?? ''),
    jitter: schedule.jitter ?? '',
    exclusions: schedule.exclusions.join(', '),
    dst: schedule.dst,
    misfire: schedule.misfire.policy,
    overlap: schedule.overlap,
    maxAttempts: String(schedule.retry.maxAttempts),
    timeout: schedule.timeout,
    pauseAfterFailures: String(schedule.pauseAfterFailures ?? ''),
    targetType: target.type,
    url: target.type === 'webhook' ? target.url : '',
    method: (target.type === 'webhook' && target.method) || EMPTY_DRAFT.method,
    body: (target.type === 'webhook' && target.body) || EMPTY_DRAFT.body,
    headers: target.type === 'webhook' ? printHeaders(target.headers) : '',
    queue: target.type === 'queue' ? target.queue : EMPTY_DRAFT.queue,
    handler: target.type === 'handler' ? target.name : EMPTY_DRAFT.handler,
    number: target.type === 'call' ? target.number : '',
    grace: target.type === 'heartbeat' ? target.grace : EMPTY_DRAFT.grace,
    startGrace: (target.type === 'heartbeat' && target.startGrace) || '',
    objectives: objectivesOf(schedule.slo),
    payload: JSON.stringify(schedule.payload, null, 2),
  };
}

function targetOf(draft: Draft): TargetInput {
  switch (draft.targetType) {
    case 'webhook':
      return {
        type: 'webhook',
        url: draft.url,
        headers: readHeaders(draft.headers),
        ...(draft.method === 'POST' ? {} : { method: draft.method }),
        ...(draft.body === 'envelope' || draft.method === 'GET' ? {} : { body: draft.body }),
      };
    case 'queue':
      return { type: 'queue', queue: draft.queue };
    case 'handler':
      return { type: 'handler', name: draft.handler };
    case 'call':
      return { type: 'call', number: draft.number };
    case 'heartbeat':
      return { type: 'heartbeat', grace: draft.grace, startGrace: draft.startGrace || null };
  }
}

const wordsOf = (text: string) =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);
const numberOf = (text: string) => (text.trim() === '' ? null : Number(text));
const printHeaders = (headers: Record<string, string>) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

function readHeaders(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.includes(':'));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).trim(), line.slice(line.indexOf(':') + 1).trim()]),
  );
}
