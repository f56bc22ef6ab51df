import type { Alert, WebhookAlert } from '@carillon/client';
import type { IncidentSpan } from './incident.js';
import type { Entry } from './incident-facts.js';

export interface AlertFacts {
  /** The alerts of the schedules that have objectives, as the API lists them. */
  alerts: Alert[];
  messages: readonly WebhookAlert[];
  ledgers: ReadonlyMap<string, readonly Entry[]>;
  /** The schedules that have objectives. */
  watchedIds: readonly string[];
  span: Pick<IncidentSpan, 'downAt' | 'upAt'>;
}

/** The cause of a breach must match this: the run waited for the receiver that was down, or its worker was lost. */
const CAUSE = /ECONNREFUSED|by an open circuit|the worker was lost/;

/**
 * Checks the alerts about the outage: each breach and its recovery were reported once, with the sentence that the
 * ledger has for the run, and with a link.
 */
export function checkAlerts(facts: AlertFacts): string[] {
  const { alerts, messages, watchedIds, span } = facts;
  const wrong: string[] = [];
  // Breaches before or after the outage are left out: on a busy machine, an objective may be missed at any time.
  const ofOutage = alerts.filter(
    ({ openedAt }) => Date.parse(openedAt) >= span.downAt && Date.parse(openedAt) <= span.upAt,
  );
  for (const id of watchedIds)
    if (!alerts.some(({ scheduleId }) => scheduleId === id))
      wrong.push(`${id} missed its objective unnoticed`);
  for (const alert of alerts) {
    const problems = [
      ...problemsOf(alert, facts),
      ...(ofOutage.includes(alert) ? problemsOfOutage(alert, facts) : []),
    ];
    wrong.push(...problems.map((problem) => `${alert.scheduleId} ${alert.occurrenceAt}: ${problem}`));
  }
  wrong.push(...overlaps(alerts));
  const first = messages.find(({ opened }) =>
    opened.some(({ id }) => ofOutage.some((alert) => alert.id === id)),
  );
  // All schedules breach their objective at the same time, so the first message must list several of them.
  if (!first || first.opened.length < 2) wrong.push(`the breaches are not grouped: ${first?.summary}`);
  if (messages.length >= 2 * alerts.length)
    wrong.push(`${messages.length} messages for ${alerts.length} alerts`);
  return wrong;
}

/** The entries about one alert in all messages: those of its breach, and those of its recovery. */
const toldOf = ({ id }: Alert, messages: readonly WebhookAlert[]) => ({
  openings: messages.flatMap(({ opened }) => opened.filter((told) => told.id === id)),
  recoveries: messages.flatMap(({ resolved }) => resolved.filter((told) => told.id === id)),
});

function* problemsOf(alert: Alert, { messages, ledgers }: AlertFacts): Generator<string> {
  const { openings, recoveries } = toldOf(alert, messages);
  if (openings.length !== 1 || recoveries.length !== 1)
    yield `told ${openings.length} times as a breach and ${recoveries.length} times as a recovery`;
  if (alert.resolvedAt === null) yield 'the breach has no recovery';
  const entry = ledgers.get(alert.scheduleId)?.find(({ at }) => at === alert.occurrenceAt);
  if (!entry || alert.why !== entry.why) yield `the alert says "${alert.why}" and the ledger "${entry?.why}"`;
  for (const told of [...openings, ...recoveries]) {
    if (!told.why) yield 'the message lacks the sentence of the ledger';
    if (!told.link.endsWith(`/schedules/${alert.scheduleId}`)) yield `not a link: ${told.link}`;
  }
}

function* problemsOfOutage(alert: Alert, { messages }: AlertFacts): Generator<string> {
  const { openings, recoveries } = toldOf(alert, messages);
  for (const { why, sentence } of openings) {
    if (!CAUSE.test(why ?? '')) yield `the breach does not tell why: ${why}`;
    if (!sentence.includes('should have succeeded within')) yield `not the objective: ${sentence}`;
  }
  for (const { resolution } of recoveries)
    if (!resolution?.startsWith('Recovered at')) yield `not a recovery: ${resolution}`;
}

/**
 * Reports each pair of alerts of one schedule that were open at the same time. There must be no such pair, because each
 * schedule has a single objective.
 */
function overlaps(alerts: readonly Alert[]): string[] {
  return alerts.flatMap((alert, index) =>
    alerts
      .slice(index + 1)
      .filter(
        (other) =>
          other.scheduleId === alert.scheduleId &&
          other.openedAt < (alert.resolvedAt ?? '9') &&
          alert.openedAt < (other.resolvedAt ?? '9'),
      )
      .map(() => `${alert.scheduleId} has two alerts at the same time`),
  );
}
