import { declareSchedules, readCalendars, requestHashOf } from '@carillon/db';
import { type Calendars, calendarsNamedBy, draftSchedule, ScheduleInput } from '@carillon/shared';
import type { Config } from './config.js';
import type { WorkerContext } from './context.js';
import { type DeclaredSchedule, DefinitionRefused } from './define.js';
import type { Registry } from './registry.js';

/** Schedules that are declared in code belong to the default project. */
const DEFAULT_PROJECT_ID = 1;

/** Creates and updates the schedules that the code declares, and reports those that it no longer declares. */
export async function applyDeclarations(
  context: WorkerContext,
  config: Config,
  registry: Registry,
): Promise<void> {
  const { pool, clock, bells, log } = context;
  const nowAt = Math.floor(clock.now());
  const declared = registry.schedules.map(({ input }) => input);
  const calendars = await readCalendars(pool, DEFAULT_PROJECT_ID, calendarsNamedBy(declared));
  const drafts = declared.map((schedule) => toDraft(schedule, { nowAt, config, calendars, registry }));
  const report = await declareSchedules(pool, { projectId: DEFAULT_PROJECT_ID, drafts });
  bells.arm(drafts.map((draft) => draft.first.dueAt)).catch(() => {}); // If Redis is away, the sweep sets the wake-ups.
  if (report.created.length + report.changed.length > 0) {
    log.info({ created: report.created, changed: report.changed }, 'Schedules declared in code');
  }
  if (report.noLongerDeclared.length > 0) {
    log.warn(
      { schedules: report.noLongerDeclared },
      'Schedules that are no longer declared in code still fire; cancel them if they should not',
    );
  }
}

function toDraft(
  declared: DeclaredSchedule['input'],
  {
    nowAt,
    config,
    calendars,
    registry,
  }: { nowAt: number; config: Config; calendars: Calendars; registry: Registry },
) {
  const refuse = (problems: string) =>
    new DefinitionRefused(`the schedule ${declared.id} declared in code: ${problems}`);
  const parsed = ScheduleInput.safeParse(declared);
  if (!parsed.success) {
    throw refuse(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; '));
  }
  const result = draftSchedule(parsed.data, {
    key: declared.id,
    nowAt,
    calendars,
    defaults: {
      // A schedule declared in code always has a handler as its target, so it needs no default target. Its `onSuccess`
      // and `onFailure` URLs may be private, because the operator chose them.
      target: null,
      allowPrivateTargets: true,
      payloadProblem: registry.payloadProblem,
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
