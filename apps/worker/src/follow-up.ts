import { pauseFailing, pauseGone, promoteQueued } from '@carillon/db';
import type { WorkerContext } from './context.js';
import type { Done } from './finalize.js';
import { reportReminder } from './systems/report-reminder.js';

/** What a closed run entails: its retry is armed, the next in its queue begins, a failing schedule pauses. */
export function followUp(context: WorkerContext, batch: readonly Done[]): void {
  const { metrics, clock, bells } = context;
  const retryAts: number[] = [];
  for (const [outcome, count] of countBy(batch, (done) => done.outcome.kind)) {
    if (outcome !== 'deferred') metrics.count('carillon_attempts_total', count, `outcome="${outcome}"`);
  }
  for (const done of batch) {
    const { closed, outcome, flight } = done;
    if (outcome.kind === 'deferred')
      metrics.count('carillon_deferred_total', 1, `reason="${outcome.reasonCode}"`);
    else metrics.observe('carillon_delivery_seconds', closed.durationMs);
    if (closed.retryInMs !== null) {
      if (outcome.kind === 'failed') metrics.count('carillon_retries_total');
      retryAts.push(clock.now() + closed.retryInMs);
    }
    reportReminder(context, done);
    const hasEnded = closed.status !== 'retrying';
    const isCloselyWatched = closed.status === 'failed' && flight.run.plan.pauseAfterFailures !== null;
    const isGone = outcome.kind === 'failed' && outcome.isGone === true;
    if ((hasEnded && flight.run.counted) || isCloselyWatched || isGone) {
      settle(context, done).catch((error) =>
        context.log.error({ err: error }, 'Following up on a run failed'),
      );
    }
  }
  if (batch.some(({ closed }) => closed.receipt)) context.receipts.send();
  if (retryAts.length > 0) bells.arm(retryAts).catch(() => {}); // The sweep arms what is missing.
}

async function settle({ pool, bells, log }: WorkerContext, { flight, outcome, closed }: Done): Promise<void> {
  const { scheduleId, scheduleKey, plan, counted } = flight.run;
  if (outcome.kind === 'failed' && outcome.isGone) {
    const paused = await pauseGone(pool, scheduleId);
    if (paused.kind === 'changed')
      log.warn({ schedule: scheduleKey }, 'Schedule paused: its receiver is gone');
  }
  if (closed.status === 'failed' && plan.pauseAfterFailures !== null) {
    const paused = await pauseFailing(pool, { scheduleId, limit: plan.pauseAfterFailures });
    if (paused.kind === 'changed') log.warn({ schedule: scheduleKey }, 'Schedule paused: it keeps failing');
  }
  if (counted && closed.status !== 'retrying') {
    const promoted = await promoteQueued(pool, scheduleId, null);
    if (promoted > 0) await bells.ringNow();
  }
}

function countBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
}
