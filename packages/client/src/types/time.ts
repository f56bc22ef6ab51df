import type { Instant } from './instant.js';
import type { RunOrigin, RunStatus } from './run.js';
import type { Timing } from './schedule.js';

/** An instant that the rule names. */
export interface Occurrence {
  at: string;
  local: string;
  /** Later than `at` where the schedule has jitter or was rescheduled. */
  dueAt: string;
  /** What a change of clocks does to it, in words. */
  remark: string | null;
}

export interface RulePreviewInput extends Timing {
  from?: Instant | undefined;
  limit?: number | undefined;
}

export interface RulePreview {
  /** The rule in words. */
  text: string;
  occurrences: { at: string; local: string; remark: string | null }[];
  warnings: string[];
}

/** What became of one occurrence, or of a stretch of them that all went the same way. */
export interface LedgerEntry {
  at: string;
  local: string;
  /** The last occurrence of a stretch; null for a single one. */
  until: string | null;
  count: number;
  origin: RunOrigin;
  status: RunStatus | 'upcoming' | 'due' | 'paused' | 'unknown';
  why: string;
  runId: string | null;
  version: number;
  remark: string | null;
}

export interface Forecast {
  from: string;
  to: string;
  total: number;
  /** False where there was more to count than one answer may cost. */
  complete: boolean;
  /** Minutes without a fire are left out. */
  minutes: { at: string; fires: number }[];
}
