import { declareSchedules, readCalendars, requestHashOf } from '@carillon/db';
import { type Calendars, calendarsNamedBy, draftSchedule, ScheduleInput } from '@carillon/shared';
import type { Config } from './config.js';
import type { WorkerContext } from './context.js';
import { type DeclaredSchedule, declaredSchedules } from './define.js';

/** The project that schedules from the code belong to: the first one. */
const DEFAULT_PROJECT_ID = 1;

/** Creates or brings up to date what the code declares, and reports what it no longer does. */
export async function declare(context: WorkerContext, config: Config): Promise<void> {
  const { pool, clock, bells, log } = context;
  const nowAt = Math.floor(clock.now());
  const declared = declaredSchedules();
  const calendars = await readCalendars(pool, DEFAULT_PROJECT_ID, calendarsNamedBy(declared));
  const drafts = declared.map((schedule) => toDraft(schedule, { nowAt, config, calendars }));
  const report = await declareSchedules(pool, { projectId: DEFAULT_PROJECT_ID, drafts });
  bells.arm(drafts.map((draft) => draft.first.dueAt)).catch(() => {}); // The sweep arms what is missing.
  if (report.created.length + report.changed.length > 0) {
    log.info({ created: report.created, changed: report.changed }, 'Schedules declared in code');
  }
  if (report.noLongerDeclared.length > 0) {
    log.warn(
      { schedules: report.noLongerDeclared },
      'Schedules no longer declared in code go on; cancel them if they should not',
    );
  }
}

function toDraft(
  declared: DeclaredSchedule,
  { nowAt, config, calendars }: { nowAt: number; config: Config; calendars: Calendars },
) {
  const refuse = (problems: string) => new Error(`the schedule ${declared.id} declared in code: ${problems}`);
  const parsed = ScheduleInput.safeParse(declared);
  if (!parsed.success) {
    throw refuse(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; '));
  }
  const result = draftSchedule(parsed.data, {
    key: declared.id,
    nowAt,
    calendars,
    defaults: {
      // What the code declares goes to a handler; an address in a receipt is the operator's own.
      target: { type: 'handler', name: 'log' },
      allowPrivateTargets: true,
      maxAttempts: config.RETRY_MAX_ATTEMPTS,
      baseDelayMs: config.RETRY_BASE_DELAY_SECONDS * 1_000,
    },
  });
  if (!result.ok)
    throw refuse(result.problems.map(({ field, message }) => `${field}: ${message}`).join('; '));
  return {
    ...result.drafted,
    key: declared.id,
    payload: declared.payload === undefined ? null : JSON.stringify(declared.payload),
    requestHash: requestHashOf(declared),
  };
}
