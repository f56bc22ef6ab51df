import type { Instant } from './instant.js';
import type { RuleInput } from './schedule.js';
import type { Target, TargetInput } from './target.js';

export interface UserInput {
  firstName: string;
  lastName: string;
  /** `1990-02-28`: a day, not an instant. */
  dateOfBirth: string;
  timezone: string;
  target?: TargetInput | undefined;
}

export interface User {
  id: string;
  firstName: string;
  lastName: string;
  dateOfBirth: string;
  timezone: string;
  nextBirthdayEvent: { at: string; local: string; scheduleId: string } | null;
}

export interface TaskInput {
  title: string;
  dueAt: Instant;
  target?: TargetInput | undefined;
}

export interface Task {
  id: string;
  title: string;
  dueAt: string;
  reminderSentAt: string | null;
}

/** What a scan for tasks that are due soon has come to. */
export interface TaskScan {
  workerRunId: string;
  due: number;
  sent: number;
  skipped: number;
  failed: number;
}

export interface ReminderInput {
  message: string;
  recipient: string;
  at: Instant;
  timezone?: string | undefined;
  target?: TargetInput | undefined;
}

export interface Reminder {
  id: string;
  message: string;
  recipient: string;
  at: string;
  timezone: string;
  target: Target;
  status: 'scheduled' | 'processing' | 'completed' | 'pending_retry' | 'failed' | 'cancelled';
  attemptCount: number;
  maxAttempts: number;
  nextRetryAt: string | null;
  lastError: string | null;
  idempotencyKey: string | null;
  externalId: string | null;
}

/** A rule with a name, to be used as `template` instead of `rule`. */
export interface TemplateInput {
  id: string;
  name?: string | undefined;
  rule: RuleInput;
  timezone?: string | undefined;
}

export interface Template {
  id: string;
  name: string;
  rule: RuleInput;
  timezone: string | null;
}
