import type { FeedGap, FeedRun, FeedSchedule } from '@carillon/db';
import { DAY_MS, describeRule, type IcsEvent, nextOccurrences, occurrenceRemark } from '@carillon/shared';
export const FEED_DAYS_BACK = 30;
const DAYS_AHEAD = 90;
const MAX_AHEAD_PER_SCHEDULE = 60;
/**
 * Maximum number of coming occurrences in a feed. With past runs and gaps (up to 1,000 of each), a feed has up to three
 * thousand events.
 */
const MAX_AHEAD = 1_000;
/** Number of schedules that are processed in one turn of the event loop. Other requests run between two turns. */
const SCHEDULES_PER_TURN = 20;

interface Sources {
  projectKey: string;
  schedules: readonly FeedSchedule[];
  runs: readonly FeedRun[];
  gaps: readonly FeedGap[];
  nowAt: number;
}

/**
 * The events of an iCal feed: past runs with their outcome, gaps (stretches of occurrences that did not run), and then
 * coming occurrences, soonest first.
 */
export async function composeFeed({
  projectKey,
  schedules,
  runs,
  gaps,
  nowAt,
}: Sources): Promise<IcsEvent[]> {
  const byId = new Map(schedules.map((schedule) => [schedule.id, schedule]));
  const past = runs.flatMap((run) => {
    const schedule = byId.get(run.scheduleId);
    return schedule ? [pastEvent(projectKey, schedule, run)] : [];
  });
  const pastUids = new Set(past.map(({ uid }) => uid));
  for (const gap of gaps) {
    const schedule = byId.get(gap.scheduleId);
    const event = schedule && gapEvent(projectKey, schedule, gap);
    if (!event || pastUids.has(event.uid)) continue;
    pastUids.add(event.uid);
    past.push(event);
  }
  const coming: IcsEvent[] = [];
  for (const [index, schedule] of schedules.entries()) {
    coming.push(...comingEvents(projectKey, schedule, nowAt).filter(({ uid }) => !pastUids.has(uid)));
    if (index % SCHEDULES_PER_TURN === SCHEDULES_PER_TURN - 1) await new Promise(setImmediate);
  }
  coming.sort((a, b) => a.startAt - b.startAt);
  return [...past, ...coming.slice(0, MAX_AHEAD)];
}

/**
 * An occurrence and its run have the same UID, so that a calendar program shows the outcome in the entry that it
 * already has.
 */
const uidOf = (projectKey: string, key: string, { origin, at }: { origin: string; at: number }) =>
  `${key}-${at}-${origin}@${projectKey}.carillon`;

const OUTCOMES: Record<string, { words: string; status: IcsEvent['status'] }> = {
  succeeded: { words: 'succeeded', status: 'CONFIRMED' },
  failed: { words: 'FAILED', status: 'CONFIRMED' },
  skipped: { words: 'skipped', status: 'CANCELLED' },
  cancelled: { words: 'cancelled', status: 'CANCELLED' },
};

function pastEvent(projectKey: string, schedule: FeedSchedule, run: FeedRun): IcsEvent {
  const { key, name, tags, timing } = schedule;
  const { words, status } = OUTCOMES[run.status] ?? { words: run.status, status: 'CONFIRMED' };
  const why = run.error ?? run.reason;
  return {
    uid: uidOf(projectKey, key, { origin: run.origin, at: run.occurrenceAt }),
    stampAt: run.happenedAt,
    startAt: run.occurrenceAt,
    summary: `${name ?? key} (${words})`,
    description: [
      `Schedule ${key}: ${describeRule(timing)}`,
      ...(why === null ? [] : [`${words}: ${why}`]),
    ].join('\n'),
    status,
    categories: tags,
  };
}

/**
 * One event for all occurrences of a gap. It has the UID of the first occurrence, so a calendar program replaces that
 * occurrence's entry by it.
 */
function gapEvent(projectKey: string, schedule: FeedSchedule, gap: FeedGap): IcsEvent {
  const { key, name, tags, timing } = schedule;
  const { fromAt, toAt, count, reason, createdAt } = gap;
  const until = count === 1 ? '' : `, ${count} occurrences until ${new Date(toAt).toISOString()}`;
  return {
    uid: uidOf(projectKey, key, { origin: 'rule', at: fromAt }),
    stampAt: createdAt,
    startAt: fromAt,
    summary: `${name ?? key} (${count === 1 ? 'skipped' : `${count} skipped`})`,
    description: [`Schedule ${key}: ${describeRule(timing)}`, `skipped${until}: ${reason}`].join('\n'),
    status: 'CANCELLED',
    categories: tags,
  };
}

function comingEvents(projectKey: string, schedule: FeedSchedule, nowAt: number): IcsEvent[] {
  const { key, name, tags, timing, occurrenceAt, dueAt, maxRuns, runsTotal, isPaused, updatedAt } = schedule;
  if (occurrenceAt === null || dueAt === null || dueAt > nowAt + DAYS_AHEAD * DAY_MS) return [];
  const left = Math.min(
    MAX_AHEAD_PER_SCHEDULE,
    maxRuns === null ? MAX_AHEAD_PER_SCHEDULE : maxRuns - runsTotal,
  );
  // If the next occurrence was rescheduled to a later time, the occurrences in between do not run.
  const later = nextOccurrences(timing, Math.max(occurrenceAt, dueAt), Math.max(0, left - 1));
  const moments = [{ at: occurrenceAt, startAt: dueAt }, ...later.map((at) => ({ at, startAt: at }))];
  return moments
    .filter(({ startAt }) => startAt <= nowAt + DAYS_AHEAD * DAY_MS)
    .map(({ at, startAt }) => {
      const remark = occurrenceRemark(timing, at);
      return {
        uid: uidOf(projectKey, key, { origin: 'rule', at }),
        stampAt: updatedAt,
        startAt,
        summary: isPaused ? `${name ?? key} (paused)` : (name ?? key),
        description: [`Schedule ${key}: ${describeRule(timing)}`, ...(remark === null ? [] : [remark])].join(
          '\n',
        ),
        status: isPaused ? 'TENTATIVE' : 'CONFIRMED',
        categories: tags,
      };
    });
}
