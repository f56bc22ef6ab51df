import type * as Contract from '@carillon/shared';
import { describe, it } from 'vitest';
import type { z } from 'zod';
import type { BulkAction, BulkActionAnswer, BulkAnswer, ScheduleFilter } from './bulk.js';
import type { Calendar, CalendarInput, ChangedCalendar } from './calendar.js';
import type { Readiness, System, WorkerReplica } from './operations.js';
import type { ReplayAnswer, ReplayInput, Run, RunWithAttempts } from './run.js';
import type * as Shape from './schedule.js';
import type * as Systems from './systems.js';
import type { AuditEntry, Key, KeyInput, NewKey, Project, ProjectInput, ProjectPatch } from './tenancy.js';
import type { Forecast, LedgerEntry, Occurrence, RulePreview, RulePreviewInput } from './time.js';

type In<S extends z.ZodType> = z.input<S>;
type Out<S extends z.ZodType> = z.output<S>;
/** As it is after JSON. */
type Sent<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? Sent<Item>[]
    : T extends object
      ? { [Field in keyof T]: Sent<T[Field]> }
      : T;
/** Each is assignable to the other, and neither knows a field that the other does not. */
type Agree<A, B> = [A, B, keyof A, keyof B] extends [B, A, keyof B, keyof A] ? true : false;
/** Ours insists on one of the two; the API says so as well, but in words. */
type Either = Omit<Shape.ScheduleInput, 'rule' | 'template'> &
  Pick<Shape.SchedulePatch, 'rule'> & { template?: string | undefined };
const agree = <A, B>(_do: Agree<A, B>) => {};

// The types of this package are written out, so that whoever uses it needs neither zod nor our other packages. They are held
// against the contracts here: by the compiler, since nothing of it is left at run time.
describe('The types of the client', () => {
  it('are those of the answers', () => {
    agree<Shape.Schedule, Out<typeof Contract.Schedule>>(true);
    agree<Shape.CreatedSchedule, Out<typeof Contract.CreatedSchedule>>(true);
    agree<Shape.EditedSchedule, Out<typeof Contract.EditedSchedule>>(true);
    agree<Shape.CancelledSchedule, Out<typeof Contract.CancelledSchedule>>(true);
    agree<Shape.TriggeredSchedule, Out<typeof Contract.TriggeredSchedule>>(true);
    agree<Shape.SkippedSchedule, Out<typeof Contract.SkippedSchedule>>(true);
    agree<Shape.BackfilledSchedule, Out<typeof Contract.BackfilledSchedule>>(true);
    agree<BulkAnswer, Out<typeof Contract.BulkAnswer>>(true);
    agree<BulkActionAnswer, Out<typeof Contract.ActionAnswer>>(true);
    agree<Run, Out<typeof Contract.Run>>(true);
    agree<RunWithAttempts, Out<typeof Contract.RunWithAttempts>>(true);
    agree<Occurrence, Out<typeof Contract.Occurrence>>(true);
    agree<RulePreview, Out<typeof Contract.RulePreview>>(true);
    agree<LedgerEntry, Out<typeof Contract.LedgerEntry>>(true);
    agree<Forecast, Out<typeof Contract.Forecast>>(true);
    agree<Key, Out<typeof Contract.Key>>(true);
    agree<NewKey, Out<typeof Contract.NewKey>>(true);
    agree<Project, Out<typeof Contract.Project>>(true);
    agree<AuditEntry, Out<typeof Contract.AuditEntry>>(true);
    agree<WorkerReplica, Out<typeof Contract.WorkerReplica>>(true);
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
  });

  it('are those of the requests, with a Date wherever there is a time', () => {
    agree<Sent<Shape.SchedulePatch>, In<typeof Contract.SchedulePatch>>(true);
    agree<Sent<Either>, In<typeof Contract.ScheduleRequest>>(true);
    agree<Sent<BulkAction>, In<typeof Contract.ActionInput>>(true);
    agree<Sent<ScheduleFilter>, In<typeof Contract.ScheduleFilter>>(true);
    agree<Sent<RulePreviewInput>, In<typeof Contract.RulePreviewInput>>(true);
    agree<CalendarInput, In<typeof Contract.CalendarInput>>(true);
    agree<Sent<Systems.UserEventInput>, In<typeof Contract.UserEventInput>>(true);
    agree<Sent<ReplayInput>, In<typeof Contract.ReplayInput>>(true);
    agree<Sent<Systems.UserInput>, In<typeof Contract.UserInput>>(true);
    agree<Sent<Systems.UserPatch>, In<typeof Contract.UserPatch>>(true);
    agree<Sent<Systems.TaskInput>, In<typeof Contract.TaskInput>>(true);
    agree<Sent<Systems.TaskPatch>, In<typeof Contract.TaskPatch>>(true);
    agree<Sent<Systems.ReminderInput>, In<typeof Contract.ReminderInput>>(true);
    agree<Sent<Systems.TemplateInput>, In<typeof Contract.TemplateInput>>(true);
    agree<Sent<Systems.TemplatePatch>, In<typeof Contract.TemplatePatch>>(true);
    agree<Sent<KeyInput>, In<typeof Contract.KeyInput>>(true);
    agree<Sent<ProjectInput>, In<typeof Contract.ProjectInput>>(true);
    agree<Sent<ProjectPatch>, In<typeof Contract.ProjectPatch>>(true);
  });
});
