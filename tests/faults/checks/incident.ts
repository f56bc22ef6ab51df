import { inWords } from '@carillon/shared';
import type { Delivery } from '../harness/receiver.js';
import type { Entry, Figures, IncidentFacts, IncidentRun } from './incident-facts.js';

export interface IncidentSpan {
  downAt: number;
  upAt: number;
  /** The origin (scheme, host and port) of the receiver that was down. */
  origin: string;
  /** The schedule whose worker was lost during a delivery, and that worker. */
  lost?: { id: string; workerId: number };
}

/**
 * The time of a worker and the time of the receiver may differ by this much, because the worker estimates the clock of
 * Postgres and the receiver uses the clock of the machine.
 */
const CLOCK_ERROR_MS = 250;
const FINAL_LINE = 'Run failed for good: replay it when the cause is gone';

/** Checks every entry of every ledger; returns the violations. */
export function checkLedger(
  { ledgers, runs }: IncidentFacts,
  span: IncidentSpan & { pausedId: string; editedId: string },
): string[] {
  const wrong: string[] = [];
  for (const [id, entries] of ledgers)
    for (const entry of entries)
      for (const problem of problemsOf(entry, span))
        wrong.push(`${id} ${entry.at}: ${problem}: ${entry.why}`);
  const newestFirst = [...ledgers.values()].every((entries) =>
    entries.every(({ at }, index) => index === 0 || at <= (entries[index - 1] as Entry).at),
  );
  if (!newestFirst) wrong.push('a ledger with order=desc is not newest first');

  const paused = ledgers.get(span.pausedId) ?? [];
  if (
    !paused.some(
      ({ status, why }) =>
        status === 'skipped' && /^skipped: paused by alpha at .*, note: incident 7$/.test(why),
    )
  )
    wrong.push('no occurrence was skipped by the pause, with its note and its author');
  const held = paused.find(
    ({ story }) =>
      story.some(({ kind }) => kind === 'paused') && story.some(({ kind }) => kind === 'resumed'),
  );
  if (!held?.why.includes('paused by alpha (note: incident 7)'))
    wrong.push('the run that the pause held does not tell of the pause and the resume');
  const edited = ledgers.get(span.editedId) ?? [];
  if (
    !edited.some(
      ({ version, why }) => version === 1 && why.includes('edited by alpha (from version 1 to version 2)'),
    )
  )
    wrong.push('no run tells that it kept version 1 while its schedule was edited');
  const [lost] = runs.filter(({ scheduleId }) => scheduleId === span.lost?.id);
  if (!lost || !/^began .* late: attempt 1 has an unknown result .*succeeded at attempt 2/.test(lost.why))
    wrong.push(`the run of the lost worker is told as: ${lost?.why}`);
  return wrong;
}

function* problemsOf(entry: Entry, { downAt, upAt, origin }: IncidentSpan): Generator<string> {
  const { why, story, status, runId } = entry;
  if (/no reason|undefined|NaN|attempt 0/.test(why)) yield 'an empty sentence';
  const times = story.map(({ at }) => at);
  if (times.some((at, index) => index > 0 && at < (times[index - 1] as string))) yield 'steps out of order';
  if (status === 'missing') yield 'an occurrence without a record';
  if (runId !== null && story.at(-1)?.kind !== status) yield `the last step is not ${status}`;
  for (const { kind, reasonCode, at, until, text, count } of story) {
    if (kind !== 'deferred') continue;
    if (!why.includes(text.slice(text.indexOf('(')))) yield 'a deferral that the sentence leaves out';
    if (until === null || until < at) yield 'a deferral without an end';
    if (reasonCode !== 'circuit_open') continue;
    if (!text.includes(origin) || !text.includes(count === 1 ? 'once' : `${count} times`))
      yield 'a deferral that does not name its circuit';
    const outside = Date.parse(at) < downAt || Date.parse(at) > upAt + 60_000;
    if (outside) yield 'a deferral outside of the outage';
  }
}

/** Checks that the ledger lists exactly the attempts of each run, with their times and outcomes. */
export function checkAttempts({ ledgers, runs }: IncidentFacts): string[] {
  const stories = new Map([...ledgers.values()].flat().map(({ runId, story }) => [runId, story]));
  return runs.flatMap(({ id, attempts }) => {
    const told = (stories.get(id) ?? []).filter(({ kind }) => kind === 'attempt');
    const seen = told.map(({ attempt, at, until, outcome }) => [attempt, at, until, outcome].join(' '));
    const real = attempts.map(({ number, startedAt, finishedAt, outcome }) =>
      [number, startedAt, finishedAt, outcome].join(' '),
    );
    return seen.join() === real.join()
      ? []
      : [`${id} has the attempts ${real}, and its ledger tells ${seen}`];
  });
}

/**
 * Checks the recorded lateness of each run. The due time plus the lateness is the time at which the first byte was
 * sent. This time must not lie before the claim of the first attempt, nor after the receiver saw the request. If the
 * connection of the first attempt was refused, the receiver has not seen the request, so only the claim is compared.
 */
export function checkLateness({ runs }: IncidentFacts, log: readonly Delivery[]): string[] {
  const wrong: string[] = [];
  for (const run of runs) {
    const [first] = run.attempts;
    const { latenessMs, id, why } = run;
    if (!first) continue;
    if (latenessMs === null) {
      wrong.push(`${id} was attempted and has no lateness: ${why}`);
      continue;
    }
    const sentAt = Date.parse(run.dueAt) + latenessMs;
    const seenAt = log.find(({ runId, attempt }) => runId === id && attempt === first.number)?.at;
    if (sentAt + CLOCK_ERROR_MS < Date.parse(first.startedAt))
      wrong.push(`${id} was sent before it was claimed: ${why}`);
    if (seenAt !== undefined && sentAt > seenAt + CLOCK_ERROR_MS)
      wrong.push(`${id} was seen before it was sent: ${why}`);
    // The sentence of a cancelled run says who cancelled it, and not how late it was.
    if (run.status !== 'cancelled' && !why.includes(` ${inWords(latenessMs)} late`))
      wrong.push(`${id} is ${latenessMs} ms late, and its sentence says: ${why}`);
  }
  return wrong;
}

/**
 * Checks that workers have logged one line for each run that failed for good. The line may be missing if the worker was
 * killed.
 */
export function checkFailures(
  { runs }: IncidentFacts,
  { span, lines }: { span: IncidentSpan; lines: readonly Record<string, unknown>[] },
): string[] {
  const failed = runs.filter(({ status }) => status === 'failed');
  if (failed.length === 0) return ['nothing failed for good: the scenario shows nothing about failures'];
  return failed.flatMap((run) => {
    const own = lines.filter(({ msg, runId }) => msg === FINAL_LINE && runId === run.id);
    const least = isOfLost(run, span) ? 0 : 1;
    if (own.length < least || own.length > 1)
      return [`${run.id} failed and has ${own.length} lines in the logs`];
    const isWhole = own.every(
      (line) => line.level === 50 && line.scheduleId === run.scheduleId && line.errorCode && line.error,
    );
    return isWhole
      ? []
      : [`${run.id} failed, and its line lacks its ids or the reason: ${JSON.stringify(own)}`];
  });
}

const isOfLost = ({ attempts }: IncidentRun, { lost }: IncidentSpan) =>
  attempts.some(({ workerId }) => workerId === lost?.workerId);

/**
 * Checks that /metrics and /v1/system count as many runs as the API lists. A killed worker loses what it has counted
 * since its last heartbeat, so its runs may be missing from the counts.
 */
export function checkFigures(
  { runs }: IncidentFacts,
  { before, after }: Record<'before' | 'after', Figures>,
  span: IncidentSpan,
): string[] {
  const wrong: string[] = [];
  const grown = (pattern: RegExp) => {
    const sum = ({ metrics }: Figures) =>
      [...metrics].reduce((total, [name, value]) => total + (pattern.test(name) ? value : 0), 0);
    return sum(after) - sum(before);
  };
  const expectBetween = (what: string, count: number, those: readonly IncidentRun[]) => {
    const least = those.filter((run) => !isOfLost(run, span)).length;
    if (count < least || count > those.length)
      wrong.push(`${what} counts ${count}, and there are ${those.length} runs`);
  };
  const begun = runs.filter(({ latenessMs }) => latenessMs !== null);
  const failed = runs.filter(({ status }) => status === 'failed');
  expectBetween('carillon_lateness_seconds', grown(/^carillon_lateness_seconds_count$/), begun);
  expectBetween('/v1/system', after.day.lateness.count - before.day.lateness.count, begun);
  expectBetween(
    'carillon_runs_failed_total',
    grown(/^carillon_runs_failed_total\{.*target="webhook"/),
    failed,
  );
  expectBetween('/v1/system, failed', after.day.failed.count - before.day.failed.count, failed);
  const refused = failed.filter(({ attempts }) => attempts.at(-1)?.errorCode === 'connection_refused');
  expectBetween(
    'carillon_runs_failed_total by reason',
    grown(/^carillon_runs_failed_total\{.*connection_refused/),
    refused,
  );
  const deferrals = runs
    .flatMap(({ story }) => story)
    .filter(({ kind, reasonCode }) => kind === 'deferred' && reasonCode === 'circuit_open')
    .reduce((sum, { count }) => sum + count, 0);
  const deferred = grown(/^carillon_deferred_total\{.*circuit_open/);
  if (deferred < 1 || deferred > deferrals)
    wrong.push(`carillon_deferred_total counts ${deferred}, and the ledgers tell ${deferrals} deferrals`);
  // A failed attempt is retried unless its run has failed with it.
  const retried = runs.flatMap(({ status, attempts }) =>
    attempts.filter(
      ({ outcome }, index) => outcome === 'failed' && (status !== 'failed' || index < attempts.length - 1),
    ),
  );
  const retries = grown(/^carillon_retries_total$/);
  const leastRetries = retried.filter(({ workerId }) => workerId !== span.lost?.workerId).length;
  if (retries < leastRetries || retries > retried.length)
    wrong.push(`carillon_retries_total counts ${retries}, and ${retried.length} attempts were retried`);
  if (grown(/^carillon_circuits_opened_total$/) < 1)
    wrong.push('carillon_circuits_opened_total does not count the circuit that opened');
  if (grown(/^carillon_workers_lost$/) < 1)
    wrong.push('carillon_workers_lost does not count the lost worker');
  return wrong;
}
