import { attemptKey, encodeRunId } from '@carillon/shared';
import type { Delivery } from '../harness/receiver.js';
import { type AttemptFact, type Facts, groupBy, isOpen, iso, type RunFact } from './facts.js';

/**
 * The clocks of Postgres and of the receiver may seem to differ by this much. Both are the clock of this machine, but
 * are rounded to milliseconds in different ways.
 */
const ROUNDING_MS = 1;

/**
 * Checks promises I2, I3, I6 and I10: which attempts were claimed and when, and whether each recorded result is the
 * answer that the receiver gave.
 */
export function checkAttempts(facts: Facts): string[] {
  const violations: string[] = [];
  const deliveries = groupBy(facts.deliveries, (delivery) => delivery.attemptKey);
  for (const { key, id } of facts.schedules) {
    const isWebhook = facts.definitions.get(id)?.every(({ plan }) => plan.target.type === 'webhook') ?? false;
    const attempts = groupBy(facts.attempts.get(id) ?? [], nameOf);
    for (const run of facts.runs.get(id) ?? []) {
      const own = attempts.get(nameOf(run)) ?? [];
      attempts.delete(nameOf(run));
      const blame = (what: string) =>
        violations.push(`${what}: ${key} ${run.origin} ${iso(run.occurrenceAt)} ${run.status}`);
      checkOrder(run, own, blame);
      if (isWebhook) for (const attempt of own) checkAnswer(attempt, deliveries, blame);
    }
    for (const name of attempts.keys()) violations.push(`I3 an attempt without its run: ${key} ${name}`);
  }
  return [...violations, ...checkTokens(facts), ...checkDeliveries(facts)];
}

const nameOf = ({ origin, occurrenceAt }: RunFact | AttemptFact) => `${origin} ${iso(occurrenceAt)}`;

function checkOrder(run: RunFact, attempts: AttemptFact[], blame: (what: string) => void): void {
  attempts.forEach((attempt, index) => {
    const before = attempts[index - 1];
    if (attempt.number !== index + 1) blame('I2 an attempt is missing');
    if (before && attempt.epoch <= before.epoch) blame('I2 the epoch did not grow');
    if (before && before.outcome === null) blame('I3 an attempt was left open behind another');
    if (before?.outcome === 'succeeded' && run.replays === 0) blame('I2 tried again after it had succeeded');
    if (attempt.claimedAt < run.dueAt) blame(`I6 early by ${run.dueAt - attempt.claimedAt} ms`);
  });
  const last = attempts.at(-1);
  if (last && !isOpen(run) && last.outcome === null) blame('I3 an attempt stayed open');
  if (run.status === 'succeeded' && last?.outcome !== 'succeeded') blame('I2 succeeded without an attempt');
}

/**
 * Checks that a recorded success is the answer that the receiver gave to this attempt. If it is not, a late writer has
 * closed an attempt that was under way.
 */
function checkAnswer(
  attempt: AttemptFact,
  deliveries: Map<string, Delivery[]>,
  blame: (what: string) => void,
): void {
  if (attempt.outcome !== 'succeeded') return;
  const [delivery] = deliveries.get(attemptKey(encodeRunId(attempt), attempt.number, attempt.epoch)) ?? [];
  if (!delivery) {
    blame(`I2 attempt ${attempt.number} succeeded and was never delivered`);
    return;
  }
  if (delivery.status !== attempt.httpStatus) blame('I2 another answer is recorded than was given');
  if ((delivery.answeredAt ?? Number.POSITIVE_INFINITY) > (attempt.finishedAt ?? 0) + ROUNDING_MS) {
    blame(`I2 attempt ${attempt.number} was closed before its answer came: a late write`);
  }
}

/**
 * Checks promise I10: an epoch (the number of a lease) together with the token of a worker process identifies one
 * claim. So all attempts with the same pair must have been claimed at the same time.
 */
function checkTokens(facts: Facts): string[] {
  const attempts = [...facts.attempts.values()].flat();
  const claims = groupBy(attempts, ({ epoch, token }) => `${epoch} ${token}`);
  return [...claims].flatMap(([pair, list]) => {
    const moments = new Set(list.map(({ claimedAt }) => claimedAt));
    return moments.size > 1 ? [`I10 one epoch and token issued ${moments.size} times: ${pair}`] : [];
  });
}

/**
 * Checks promises I2 and I3 by the log of the receiver: each request belongs to one attempt, which was claimed before
 * the request arrived.
 */
function checkDeliveries(facts: Facts): string[] {
  const violations: string[] = [];
  const attempts = new Map<string, AttemptFact>();
  for (const list of facts.attempts.values()) {
    for (const attempt of list) {
      attempts.set(attemptKey(encodeRunId(attempt), attempt.number, attempt.epoch), attempt);
    }
  }
  const claims = new Map<string, string>();
  const seen = new Set<string>();
  for (const { runId, attempt, attemptKey, at } of facts.deliveries) {
    const name = `${runId} attempt ${attempt}`;
    const claimed = attempts.get(attemptKey);
    if (!claimed) violations.push(`I3 delivered without an attempt: ${name}`);
    else if (claimed.claimedAt > at + ROUNDING_MS) violations.push(`I3 delivered before its claim: ${name}`);
    if (seen.has(attemptKey)) violations.push(`I2 one attempt delivered twice: ${name}`);
    if ((claims.get(name) ?? attemptKey) !== attemptKey) violations.push(`I2 claimed twice: ${name}`);
    seen.add(attemptKey);
    claims.set(name, attemptKey);
  }
  return violations;
}
