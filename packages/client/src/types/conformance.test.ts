import type * as Contract from '@carillon/shared';
import { describe, it } from 'vitest';
import type { z } from 'zod';
import type { WebhookAlert, WebhookDelivery, WebhookReceipt } from '../verify-webhook.js';
import type * as Alerts from './alert.js';
import type { BulkAction, BulkActionAnswer, BulkActionProgress, BulkAnswer, ScheduleFilter } from './bulk.js';
import type { Calendar, CalendarImport, CalendarInput, ChangedCalendar } from './calendar.js';
import type { Feed, FeedInput, NewFeed } from './feed.js';
import type { Attention, Readiness, Stats, System, WorkerReplica } from './operations.js';
import type { SchedulePlan } from './plan.js';
import type { DeadLetters, ReplayAnswer, ReplayInput, Run, RunWithAttempts } from './run.js';
import type * as Shape from './schedule.js';
import type { Simulation } from './simulation.js';
import type * as Systems from './systems.js';
import type * as Tenancy from './tenancy.js';
import type {
  Forecast,
  ForecastMinute,
  LedgerEntry,
  Occurrence,
  OccurrenceAudit,
  RuleLint,
  RulePreview,
  RulePreviewInput,
} from './time.js';

type In<S extends z.ZodType> = z.input<S>;
type Out<S extends z.ZodType> = z.output<S>;
/** A type after JSON serialization. */
type Sent<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? Sent<Item>[]
    : T extends object
      ? { [Field in keyof T]: Sent<T[Field]> }
      : T;
/** True if the two types are assignable to each other and have the same fields. */
type Agree<A, B> = [A, B, keyof A, keyof B] extends [B, A, keyof B, keyof A] ? true : false;
/**
 * The type `ScheduleInput` requires `rule` or `template`. The contract makes both optional, because the API checks at
 * run time that one of them is given.
 */
type Either = Omit<Shape.ScheduleInput, 'rule' | 'template'> &
  Pick<Shape.SchedulePatch, 'rule'> & { template?: string | undefined };
const agree = <A, B>(_do: Agree<A, B>) => {};

// The types of this package are written by hand, so that its users need neither zod nor our other packages. The
// compiler compares them with the contracts here; at run time nothing is compared.
describe('Client types', () => {
  it('the response types of the client equal the contracts of the API', () => {
    agree<Shape.Schedule, Out<typeof Contract.Schedule>>(true);
    agree<Shape.ListedSchedule, Out<typeof Contract.ListedSchedule>>(true);
    agree<Shape.ScheduleVersion, Out<typeof Contract.ScheduleVersion>>(true);
    agree<Shape.CreatedSchedule, Out<typeof Contract.CreatedSchedule>>(true);
    agree<Shape.EditedSchedule, Out<typeof Contract.EditedSchedule>>(true);
    agree<Shape.CancelledSchedule, Out<typeof Contract.CancelledSchedule>>(true);
    agree<Shape.TriggeredSchedule, Out<typeof Contract.TriggeredSchedule>>(true);
    agree<Shape.SkippedSchedule, Out<typeof Contract.SkippedSchedule>>(true);
    agree<Shape.BackfilledSchedule, Out<typeof Contract.BackfilledSchedule>>(true);
    agree<BulkAnswer, Out<typeof Contract.BulkAnswer>>(true);
    agree<SchedulePlan, Out<typeof Contract.PlanAnswer>>(true);
    agree<BulkActionProgress, Out<typeof Contract.ActionProgress>>(true);
    agree<BulkActionAnswer, Out<typeof Contract.ActionAnswer>>(true);
    agree<Run, Out<typeof Contract.Run>>(true);
    agree<RunWithAttempts, Out<typeof Contract.RunWithAttempts>>(true);
    agree<DeadLetters, Out<typeof Contract.DeadLetters>>(true);
    agree<Occurrence, Out<typeof Contract.Occurrence>>(true);
    agree<RulePreview, Out<typeof Contract.RulePreview>>(true);
    agree<OccurrenceAudit, Out<typeof Contract.OccurrenceAudit>>(true);
    agree<LedgerEntry, Out<typeof Contract.LedgerEntry>>(true);
    agree<ForecastMinute, Out<typeof Contract.ForecastMinute>>(true);
    agree<Forecast, Out<typeof Contract.Forecast>>(true);
    agree<RuleLint, Out<typeof Contract.RuleLint>>(true);
    agree<Feed, Out<typeof Contract.Feed>>(true);
    agree<NewFeed, Out<typeof Contract.NewFeed>>(true);
    agree<Simulation, Out<typeof Contract.SimulationAnswer>>(true);
    agree<Tenancy.Key, Out<typeof Contract.Key>>(true);
    agree<Tenancy.NewKey, Out<typeof Contract.NewKey>>(true);
    agree<Tenancy.Project, Out<typeof Contract.Project>>(true);
    agree<Tenancy.Me, Out<typeof Contract.Me>>(true);
    agree<Tenancy.EndedSessions, Out<typeof Contract.EndedSessions>>(true);
    agree<Tenancy.AuditEntry, Out<typeof Contract.AuditEntry>>(true);
    agree<WorkerReplica, Out<typeof Contract.WorkerReplica>>(true);
    agree<Attention, Out<typeof Contract.Attention>>(true);
    agree<Stats, Out<typeof Contract.Stats>>(true);
    agree<System, Out<typeof Contract.System>>(true);
    agree<Calendar, Out<typeof Contract.Calendar>>(true);
    agree<ChangedCalendar, Out<typeof Contract.ChangedCalendar>>(true);
    agree<ReplayAnswer, Out<typeof Contract.ReplayAnswer>>(true);
    agree<Systems.User, Out<typeof Contract.User>>(true);
    agree<Systems.DeletedUser, Out<typeof Contract.DeletedUser>>(true);
    agree<Systems.Task, Out<typeof Contract.Task>>(true);
    agree<Systems.TaskScan, Out<typeof Contract.TaskScan>>(true);
    agree<Systems.Reminder, Out<typeof Contract.Reminder>>(true);
    agree<Systems.Template, Out<typeof Contract.TemplateAnswer>>(true);
    agree<Readiness, Out<typeof Contract.Readiness>>(true);
    agree<Alerts.Alert, Out<typeof Contract.Alert>>(true);
    agree<Alerts.AlertChannel, Out<typeof Contract.AlertChannel>>(true);
    agree<Alerts.AlertMessage, Out<typeof Contract.AlertMessage>>(true);
    agree<Alerts.Maintenance, Out<typeof Contract.Maintenance>>(true);
    agree<Alerts.Heartbeat, Out<typeof Contract.Heartbeat>>(true);
    agree<WebhookAlert, Out<typeof Contract.WebhookAlert>>(true);
    agree<WebhookDelivery, Out<typeof Contract.WebhookDelivery>>(true);
    agree<WebhookReceipt, Out<typeof Contract.WebhookReceipt>>(true);
  });

  it('the request types of the client equal the contracts of the API, and accept a Date for every instant', () => {
    agree<Sent<Shape.SchedulePatch>, In<typeof Contract.SchedulePatch>>(true);
    agree<Sent<Either>, In<typeof Contract.ScheduleRequest>>(true);
    agree<Sent<BulkAction>, In<typeof Contract.ActionInput>>(true);
    agree<Sent<ScheduleFilter>, In<typeof Contract.ScheduleFilter>>(true);
    agree<Sent<RulePreviewInput>, In<typeof Contract.RulePreviewInput>>(true);
    agree<CalendarInput, In<typeof Contract.CalendarInput>>(true);
    agree<Alerts.AlertChannelInput, In<typeof Contract.AlertChannelInput>>(true);
    agree<Alerts.AlertChannelPatch, In<typeof Contract.AlertChannelPatch>>(true);
    agree<Sent<Alerts.MaintenanceInput>, In<typeof Contract.MaintenanceInput>>(true);
    agree<FeedInput, In<typeof Contract.FeedInput>>(true);
    agree<CalendarImport, In<typeof Contract.CalendarImport>>(true);
    agree<Sent<Systems.UserEventInput>, In<typeof Contract.UserEventInput>>(true);
    agree<Sent<ReplayInput>, In<typeof Contract.ReplayInput>>(true);
    agree<Sent<Systems.UserInput>, In<typeof Contract.UserInput>>(true);
    agree<Sent<Systems.UserPatch>, In<typeof Contract.UserPatch>>(true);
    agree<Sent<Systems.TaskInput>, In<typeof Contract.TaskInput>>(true);
    agree<Sent<Systems.TaskPatch>, In<typeof Contract.TaskPatch>>(true);
    agree<Sent<Systems.ReminderInput>, In<typeof Contract.ReminderInput>>(true);
    agree<Sent<Systems.TemplateInput>, In<typeof Contract.TemplateInput>>(true);
    agree<Sent<Systems.TemplatePatch>, In<typeof Contract.TemplatePatch>>(true);
    agree<Sent<Tenancy.KeyInput>, In<typeof Contract.KeyInput>>(true);
    agree<Sent<Tenancy.ProjectInput>, In<typeof Contract.ProjectInput>>(true);
    agree<Sent<Tenancy.ProjectPatch>, In<typeof Contract.ProjectPatch>>(true);
  });
});
