import type { ScheduleInput } from './contracts/schedule.js';
import type { Target } from './plan.js';
import { type LeapDayPolicy, localTime, nextOccurrence, type Timing } from './rules/index.js';

/** Whom a yearly event is about. */
export interface Celebrated {
  userId: string;
  firstName: string;
  lastName: string;
  timezone: string;
}

/** Something that comes round every year on a day of somebody's own calendar: a birthday, an anniversary. */
export interface YearlyEvent {
  name: string;
  /** `YYYY-MM-DD`; the year is when it began. */
  date: string;
  /** `HH:MM`, on the clock of the person's zone. */
  localTime: string;
  leapDay: LeapDayPolicy;
  /** Null for the usual one. */
  message: string | null;
}

export const BIRTHDAY = 'birthday';
/** The ids of schedules that celebrate something: we make them, nobody chooses one. */
export const YEARLY_EVENT_PREFIX = 'evt_';

/** The schedule of a yearly event. */
export function scheduleYearly(
  event: YearlyEvent,
  { person, key, target }: { person: Celebrated; key: string; target: Target | null },
): ScheduleInput {
  const { userId, firstName, lastName, timezone } = person;
  const who = `${firstName} ${lastName}`;
  const [, month, day] = event.date.split('-').map(Number);
  const [hour, minute] = event.localTime.split(':').map(Number);
  return {
    name: `${event.name} of ${who}`.slice(0, 256),
    tags: ['user-event', event.name],
    rule: { cron: `${minute} ${hour} ${day} ${month} *` },
    timezone,
    leapDay: event.leapDay,
    ...(target ? { target } : {}),
    payload: {
      // Stands for this year's event until one is delivered: see `nameEvent`.
      eventId: key,
      type: event.name,
      userId,
      firstName,
      lastName,
      message: event.message ?? `Happy ${event.name}, ${who}!`,
    },
  };
}

/** Each year's event has an id of its own, that of its run: one id for all years would have receivers drop the second. */
export function nameEvent(payload: string, { key, runId }: { key: string; runId: string }): string {
  const placeholder = `{"eventId":"${key}"`;
  return payload.startsWith(placeholder)
    ? `{"eventId":"${runId}"${payload.slice(placeholder.length)}`
    : payload;
}

export interface YearlyMove {
  before: Timing;
  after: Timing;
  /** The occurrence that is still to come under the timing before; null where there is none. */
  pendingAt: number | null;
  /** The local year of the latest celebration that went out or is on its way. */
  celebratedYear: number | null;
  nowAt: number;
}

/**
 * When a yearly event comes next after its date or its zone has changed. It belongs to a local year and comes once in it:
 * a year that was celebrated is not celebrated again elsewhere. An event that was still to come when its person moved to
 * where its time has already passed comes at once, for it would be lost otherwise.
 */
export function moveYearly({ before, after, pendingAt, celebratedYear, nowAt }: YearlyMove): number | null {
  const isNew = (at: number) => celebratedYear === null || yearAt(at, after.timezone) > celebratedYear;
  const onlyMoved = JSON.stringify(before.rule) === JSON.stringify(after.rule);
  if (onlyMoved && pendingAt !== null) {
    const sameDayAt = occurrenceIn(yearAt(pendingAt, before.timezone), after);
    if (sameDayAt !== null && sameDayAt <= nowAt && isNew(sameDayAt)) return sameDayAt;
  }
  let at = nextOccurrence(after, nowAt);
  while (at !== null && !isNew(at)) at = nextOccurrence(after, at);
  return at;
}

/** The year that a clock in the zone shows. */
export const yearAt = (at: number, timezone: string) => Number(localTime(at, timezone).slice(0, 4));

const DAY_MS = 86_400_000;

function occurrenceIn(year: number, timing: Timing): number | null {
  // No clock is a whole day off UTC.
  let at = nextOccurrence(timing, Date.UTC(year, 0, 1) - DAY_MS);
  while (at !== null && yearAt(at, timing.timezone) < year) at = nextOccurrence(timing, at);
  return at !== null && yearAt(at, timing.timezone) === year ? at : null;
}
