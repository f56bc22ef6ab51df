import type { Instant } from './instant.js';
import type { LeapDay, Rule, RuleInput } from './schedule.js';
import type { Target, TargetInput } from './target.js';

export interface UserInput {
  firstName: string;
  lastName: string;
  /** `1990-02-28`: a day, not an instant. */
  dateOfBirth: string;
  timezone: string;
  target?: TargetInput | null | undefined;
  /** Local time of the birthday message, such as `09:00`. */
  localTime?: string | undefined;
  /** The day of the message in common years, for birthdays on 29 February. */
  leapDay?: LeapDay | undefined;
}

export type UserPatch = { [Field in keyof UserInput]?: UserInput[Field] | undefined };

export interface UserEventInput {
  name: string;
  date: string;
  message?: string | null | undefined;
  localTime?: string | undefined;
  leapDay?: LeapDay | undefined;
}

/** A yearly event of a user. */
export interface UserEvent {
  name: string;
  date: string;
  localTime: string;
  leapDay: LeapDay;
  message: string | null;
  scheduleId: string;
  at: string | null;
  local: string | null;
}

export interface User {
  id: string;
  firstName: string;
  lastName: string;
  dateOfBirth: string;
  timezone: string;
  target: Target | null;
  /** After an edit of the date of birth or the time zone, this is updated in the background. */
  nextBirthdayEvent: { at: string; local: string; scheduleId: string } | null;
  events: UserEvent[];
  createdAt: string;
  updatedAt: string;
}

export interface DeletedUser {
  id: string;
  cancelled: string[];
  inFlight: string[];
}

export interface TaskInput {
  title: string;
  dueAt: Instant;
  target?: TargetInput | null | undefined;
}

export type TaskPatch = { [Field in keyof TaskInput]?: TaskInput[Field] | undefined };

export interface Task {
  id: string;
  title: string;
  dueAt: string;
  target: Target | null;
  reminderSentAt: string | null;
  createdAt: string;
  updatedAt: string;
}

/** The result of a task scan. */
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
  /** An instant, or a local time in `timezone`. */
  at: Instant;
  timezone?: string | undefined;
  target?: TargetInput | undefined;
}

export interface Reminder {
  id: string;
  message: string;
  recipient: string;
  at: string | null;
  local: string | null;
  timezone: string;
  target: Target;
  status: 'scheduled' | 'processing' | 'completed' | 'pending_retry' | 'failed' | 'cancelled';
  attemptCount: number;
  maxAttempts: number;
  nextRetryAt: string | null;
  lastError: string | null;
  idempotencyKey: string | null;
  externalId: string | null;
  runId: string | null;
  createdAt: string;
}

/** A named rule. Schedules refer to it by `template` instead of `rule`. */
export interface TemplateInput {
  id: string;
  rule: RuleInput;
  timezone?: string | null | undefined;
  description?: string | undefined;
}

export type TemplatePatch = { [Field in keyof Omit<TemplateInput, 'id'>]?: TemplateInput[Field] | undefined };

export interface Template {
  id: string;
  description: string;
  rule: Rule;
  timezone: string | null;
  /** The rule in words. */
  text: string;
  builtIn: boolean;
}
