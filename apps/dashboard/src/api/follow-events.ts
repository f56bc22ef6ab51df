import type { CarillonEvent } from '@carillon/client';
import type { QueryClient } from '@tanstack/react-query';
import { live } from './live.js';

type Told = { type: string; data: object };

/**
 * Refreshes the data that events are about. Events come as one digest per second, so a thousand fires at once cost the
 * page no more than one. When the stream opens, all data is refreshed, because the page has missed the changes between
 * its loading and the opening of the stream.
 */
export function followEvents(queries: QueryClient): () => void {
  const refresh = (...queryKey: string[]) => void queries.invalidateQueries({ queryKey });
  const endOpened = live.onOpened(() => refresh());
  const endEvents = live.onEvent((event: CarillonEvent) => {
    const told: readonly Told[] = event.type === 'digest' ? event.data.samples : [event];
    const total = event.type === 'digest' ? event.data.total : 1;
    // A digest shows only a few events in full. If it counts more than it shows, any schedule may have changed.
    if (total > told.length || told.some(({ type }) => type === 'overflow')) refresh('schedule');
    else for (const id of new Set(told.map(scheduleOf))) if (id !== null) refresh('schedule', id);
    refresh('runs');
    refresh('schedules');
    refresh('overview');
  });
  return () => {
    endOpened();
    endEvents();
  };
}

const scheduleOf = ({ data }: Told): string | null =>
  'scheduleId' in data && typeof data.scheduleId === 'string' ? data.scheduleId : null;
