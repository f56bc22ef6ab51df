import type { LedgerEntry, Occurrence, Schedule } from '@carillon/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { carillon } from '../api/carillon.js';
import { serverNow } from '../api/clock.js';

const COMING_OCCURRENCES_SHOWN = 12;
/** Number of past occurrences that the timeline and the first page of the ledger show. */
const PAST_OCCURRENCES_SHOWN = 24;

export const useSchedule = (id: string) =>
  useQuery({
    queryKey: ['schedule', id, 'itself'],
    queryFn: ({ signal }) => carillon.schedules.get(id, { signal }),
  });

/** The next occurrences of a schedule, and its rule in words. */
export const useOccurrences = (id: string) =>
  useQuery({
    queryKey: ['schedule', id, 'occurrences'],
    queryFn: ({ signal }) =>
      carillon.schedules.occurrences(id, { limit: COMING_OCCURRENCES_SHOWN }, { signal }).page(),
  });

export interface LedgerWindow {
  fromAt: number;
  toAt: number;
  entries: LedgerEntry[];
}

/**
 * The ledger of a schedule (its occurrences with their outcomes), from some time before now until some time after.
 * Earlier windows are read when the user asks for them.
 */
export const useLedger = (schedule: Schedule | undefined, occurrences: readonly Occurrence[] | undefined) =>
  useInfiniteQuery({
    queryKey: ['schedule', schedule?.id, 'ledger'],
    enabled: schedule !== undefined && occurrences !== undefined,
    initialPageParam: null as number | null,
    queryFn: async ({ pageParam, signal }): Promise<LedgerWindow> => {
      if (!schedule || !occurrences) throw new Error('the ledger is asked for with its schedule');
      const nowAt = serverNow();
      const intervalMs = intervalOf(schedule, occurrences, nowAt);
      // The ledger of a young schedule begins shortly before its creation, because there is nothing earlier to show.
      const createdAt = Date.parse(schedule.createdAt) - intervalMs;
      const pastMs = Math.min(
        PAST_OCCURRENCES_SHOWN * intervalMs,
        Math.max(6 * intervalMs, nowAt - createdAt),
      );
      const fromAt = pageParam === null ? nowAt - pastMs : pageParam - PAST_OCCURRENCES_SHOWN * intervalMs;
      const toAt = pageParam === null ? nowAt + (COMING_OCCURRENCES_SHOWN - 1.5) * intervalMs : pageParam - 1;
      const range = { from: new Date(fromAt).toISOString(), to: new Date(toAt).toISOString(), limit: 300 };
      const { items } = await carillon.schedules.ledger(schedule.id, range, { signal }).page();
      return { fromAt, toAt, entries: items };
    },
    getNextPageParam: ({ fromAt, entries }) => {
      const createdAt = Date.parse(schedule?.createdAt ?? '');
      // A backfill, or a rule with an instant in the past, may have occurrences before the creation of the schedule.
      // Other schedules have none.
      const isBefore = entries.some(({ at }) => Date.parse(at) < createdAt);
      return fromAt > createdAt || isBefore ? fromAt : undefined;
    },
  });

/** Estimates the time between two occurrences, which sets the scale of the timeline. */
function intervalOf(
  { createdAt, nextRunAt }: Schedule,
  occurrences: readonly Occurrence[],
  nowAt: number,
): number {
  const first = occurrences[0];
  const last = occurrences.at(-1);
  if (first && last && first !== last)
    return (Date.parse(last.at) - Date.parse(first.at)) / (occurrences.length - 1);
  const ahead = nextRunAt === null ? 0 : (Date.parse(nextRunAt) - nowAt) / 8;
  return Math.max(60_000, (nowAt - Date.parse(createdAt)) / (PAST_OCCURRENCES_SHOWN - 2), ahead);
}

export const useVersions = (id: string, { isNeeded = true } = {}) =>
  useQuery({
    queryKey: ['schedule', id, 'versions'],
    enabled: isNeeded,
    queryFn: ({ signal }) => carillon.schedules.versions(id, { limit: 50 }, { signal }).page(),
  });

/** The latest changes of a schedule by people and by the engine, newest first. */
export const useChanges = (id: string) =>
  useQuery({
    queryKey: ['schedule', id, 'changes'],
    queryFn: ({ signal }) => carillon.audit({ subject: id, limit: 200 }, { signal }).page(),
  });
