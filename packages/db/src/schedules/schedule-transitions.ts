import { instant } from '../instants.js';
import type { ScheduleStatus } from './schedule-columns.js';

/**
 * All transitions between the states of a schedule, and their SQL, which is the same for one row and for many.
 * docs/state-machine.md shows the same table; a test compares the two. A schedule is finished if it is active and has
 * left the agenda.
 */

export interface ScheduleTransition {
  from: readonly ScheduleStatus[] | 'new';
  to: readonly ScheduleStatus[];
  /** The component that makes the transition, for the documentation. */
  by: string;
}

export const SCHEDULE_TRANSITIONS = {
  create: { from: 'new', to: ['active'], by: 'a person, or a system that is built on schedules' },
  fire: {
    from: ['active'],
    to: ['active', 'finished'],
    by: 'the claim of a due occurrence, without a change of the stored status',
  },
  move: {
    from: ['active', 'paused'],
    to: ['active', 'paused', 'finished'],
    by: 'a person who reschedules or skips the next occurrence; a paused schedule stays paused',
  },
  edit: {
    from: ['active', 'paused', 'finished'],
    to: ['active', 'paused', 'finished'],
    by: 'a person, a system, or new time zone data; a paused schedule stays paused',
  },
  pause: {
    from: ['active', 'paused'],
    to: ['paused'],
    by: 'a person; N failures in a row; 410 Gone; an occurrence that can’t be claimed',
  },
  resume: { from: ['paused'], to: ['active', 'finished'], by: 'a person, or the end of the pause' },
  cancel: {
    from: ['active', 'paused', 'finished'],
    to: ['cancelled'],
    by: 'a person; of a finished schedule only while a run still waits or is in flight',
  },
  revive: {
    from: ['cancelled'],
    to: ['active', 'finished'],
    by: 'a PUT of a definition under the id of the cancelled schedule',
  },
} as const satisfies Record<string, ScheduleTransition>;

export type ScheduleTransitionName = keyof typeof SCHEDULE_TRANSITIONS;

/** True if a schedule with this status may take the transition. */
export const canTake = (name: Exclude<ScheduleTransitionName, 'create'>, status: ScheduleStatus): boolean =>
  (SCHEDULE_TRANSITIONS[name].from as readonly ScheduleStatus[]).includes(status);

const changed = (at: string) => `version = version + 1, updated_at = ${at}`;
const NOT_PAUSED = 'paused_at = null, paused_until = null, paused_by = null, pause_note = null';

/** `pause`: the `set` list. A schedule that is paused again keeps the time of its first pause. */
export const pause = ({ at, untilAt, actor, note }: Record<'at' | 'untilAt' | 'actor' | 'note', string>) => `
  status = 'paused', ${changed(at)}, paused_at = coalesce(paused_at, ${at}),
  paused_until = ${untilAt}, paused_by = ${actor}, pause_note = ${note}`;

/** `pause` with the parameters `:now`, `:untilAt`, `:actor` and `:note`. */
export const PAUSE = pause({
  at: instant(':now'),
  untilAt: instant(':untilAt'),
  actor: ':actor',
  note: ':note',
});

/**
 * `pause`: the statement that marks agenda rows as held, so that no worker claims them. They belong to the schedules in
 * the CTE `paused` (`id`, `version`).
 */
export const HOLD_AGENDA = `
  update carillon.agenda a set is_held = true, version = paused.version from paused where a.schedule_id = paused.id`;

/** `resume`: the `set` list, with the parameter `:now`. */
export const RESUME = `status = 'active', ${changed(instant(':now'))}, ${NOT_PAUSED}`;

/** `cancel`: the `set` list, with the parameter `:now`. */
export const CANCEL = `status = 'cancelled', ${changed(instant(':now'))}, ${NOT_PAUSED}`;

/** `revive`: the `set` list. The new definition, which follows in the same transaction, increases the version. */
export const REVIVE = `status = 'active'`;

/**
 * The totals of a schedule, as a `set` list for the table that holds them: `agenda`, or `schedules` once the schedule
 * has left the agenda.
 */
export const totals = ({
  runs,
  lastRunAt,
  lastClaimedAt,
}: Record<'runs' | 'lastRunAt' | 'lastClaimedAt', string>) =>
  `runs_total = ${runs}, last_run_at = ${lastRunAt}, last_claimed_at = ${lastClaimedAt}`;

/** The statement that takes schedules off the agenda. It returns their totals, for a CTE with the name `removed`. */
export const leaveAgendaOf = (ids: string) => `
  delete from carillon.agenda where schedule_id = any(${ids}::bigint[])
  returning schedule_id, runs_total, last_run_at, last_claimed_at`;

/** The `set` list that stores the totals of the schedules in the CTE `removed`. */
export const totalsOfRemoved = ({ runsAdded }: { runsAdded: string }) =>
  totals({
    runs: `removed.runs_total + ${runsAdded}`,
    lastRunAt: 'removed.last_run_at',
    lastClaimedAt: 'removed.last_claimed_at',
  });
