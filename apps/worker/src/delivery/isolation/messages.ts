import type { HandlerRun } from '../../define.js';
import type { RunFields } from '../../pipeline/run-fields.js';

/** The fields of a run that are sent to the process of its handler. */
export type SentRun = Pick<
  HandlerRun,
  'runId' | 'projectId' | 'scheduleId' | 'occurrenceAt' | 'attempt' | 'payload'
>;

/** A run for an isolated handler, with the fields that each of its log lines contains. */
export type IsolatedRun = HandlerRun & { logFields: RunFields };

export type ToHandlerProcess =
  | { kind: 'run'; id: number; run: SentRun; logFields: RunFields }
  | { kind: 'abort'; id: number; reason: string };

export type FromHandlerProcess =
  /** `result` is the JSON text that `storedResult` returns. */
  | { kind: 'ended'; id: number; error: string | null; isPayloadRefused?: boolean; result: string | null }
  | { kind: 'progress'; id: number; value: unknown };
