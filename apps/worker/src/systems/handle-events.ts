import { type HandledEvent, handleNextEvent } from '@carillon/db';
import type { WorkerContext } from '../context.js';

/**
 * Handles pending domain events (changes of users with yearly events) one after the other, until there are none or this
 * worker stops.
 */
export async function handleEvents(context: WorkerContext, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const handled = await handleNextEvent(context.pool, null);
    if (!handled) return;
    report(context, handled);
  }
}

function report({ log, bells, postgres }: WorkerContext, handled: HandledEvent): void {
  const { type: event, subject: userId } = handled.event;
  if (handled.kind === 'failed') {
    postgres.report(handled.error, 'A domain event could not be handled, trying again', { event, userId });
    return;
  }
  const { rescheduled, skipped, skippedIds, left, dueAts } = handled.report;
  bells.arm(dueAts).catch(() => {}); // If Redis is away, the sweep sets the wake-ups.
  for (const { eventId, why } of left) log.warn({ eventId, userId, event }, WHY[why]);
  log.info({ userId, event, rescheduled, skipped, skippedIds }, 'Events rescheduled');
  if (skipped > 0) log.warn({ userId, event, skipped }, 'Some events were not rescheduled');
}

const WHY = {
  processing: 'Event not rescheduled: it is being processed, and is delivered unchanged',
  changed: 'Event not rescheduled: it was changed meanwhile, and is handled again',
};
