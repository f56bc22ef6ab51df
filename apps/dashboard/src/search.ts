import type { RunStatus, ScheduleStatus, Target } from '@carillon/client';

// The filters of a page are part of its URL, so that a link shows another person the same list.
type Raw = Record<string, unknown>;

const SCHEDULE_STATUSES: readonly ScheduleStatus[] = ['active', 'paused', 'finished', 'cancelled'];
const RUN_STATUSES: readonly RunStatus[] = [
  'queued',
  'running',
  'retrying',
  'succeeded',
  'failed',
  'skipped',
  'cancelled',
];
const TARGETS: readonly Target['type'][] = ['webhook', 'queue', 'handler', 'call', 'heartbeat'];

const ATTENTION_KINDS = ['failing', 'paused', 'overdue', 'blocked', 'breaching'] as const;
export type AttentionKind = (typeof ATTENTION_KINDS)[number];

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined;
const oneOf = <T extends string>(value: unknown, known: readonly T[]): T | undefined =>
  known.find((each) => each === value);

export interface SchedulesFilter {
  q?: string | undefined;
  status?: ScheduleStatus | undefined;
  tag?: string | undefined;
  target?: Target['type'] | undefined;
  dueBefore?: string | undefined;
  dueAfter?: string | undefined;
  attention?: AttentionKind | undefined;
}

export interface SchedulesSearch extends SchedulesFilter {
  /** Sorts by the next run, soonest first. Default: newest schedule first. */
  order?: 'next' | undefined;
}

export const readSchedulesSearch = (raw: Raw): SchedulesSearch => ({
  q: textOf(raw.q),
  status: oneOf(raw.status, SCHEDULE_STATUSES),
  tag: textOf(raw.tag),
  target: oneOf(raw.target, TARGETS),
  dueBefore: textOf(raw.dueBefore),
  dueAfter: textOf(raw.dueAfter),
  attention: oneOf(raw.attention, ATTENTION_KINDS),
  order: oneOf(raw.order, ['next'] as const),
});

export const SCHEDULE_TABS = ['ledger', 'runs', 'versions', 'definition'] as const;
export type ScheduleTab = (typeof SCHEDULE_TABS)[number];
export const readScheduleSearch = (raw: Raw): { tab?: ScheduleTab | undefined } => ({
  tab: oneOf(raw.tab, SCHEDULE_TABS),
});

export interface RunsSearch {
  schedule?: string | undefined;
  status?: RunStatus | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

export const readRunsSearch = (raw: Raw): RunsSearch => ({
  schedule: textOf(raw.schedule),
  status: oneOf(raw.status, RUN_STATUSES),
  from: textOf(raw.from),
  to: textOf(raw.to),
});

export interface OverviewSearch {
  last?: 'day' | undefined;
}
export const readOverviewSearch = (raw: Raw): OverviewSearch => ({ last: oneOf(raw.last, ['day'] as const) });
export const readForecastSearch = (raw: Raw): { minute?: string | undefined } => ({
  minute: textOf(raw.minute),
});
export const readListSearch = (raw: Raw): { action?: string | undefined; subject?: string | undefined } => ({
  action: textOf(raw.action),
  subject: textOf(raw.subject),
});

export { RUN_STATUSES, SCHEDULE_STATUSES, TARGETS };
