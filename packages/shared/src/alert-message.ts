import { instantInWords } from './slo/breach-words.js';
import type { BreachKind } from './slo/judge-slo.js';

/**
 * An alert (an objective that a schedule misses or has missed), as a message to an alert channel reports it. Instants
 * are in milliseconds.
 */
export interface ReportedAlert {
  id: number;
  dedupId: string;
  scheduleId: string;
  scheduleName: string | null;
  kind: BreachKind;
  occurrenceAt: number;
  sentence: string;
  /** The sentence that explained the occurrence when the message was composed; null if the schedule was removed. */
  why: string | null;
  openedAt: number;
  resolvedAt: number | null;
  resolution: string | null;
}

/** The stored content of a message to an alert channel. */
export type AlertMessageContent =
  | { type: 'alerts'; opened: ReportedAlert[]; resolved: ReportedAlert[] }
  | { type: 'test'; actor: string };

/** Maximum number of alerts that a text lists in full. */
const MAX_ALERTS_IN_TEXT = 20;

/** The subject of a message, in one line. */
export function summarizeMessage(content: AlertMessageContent): string {
  if (content.type === 'test') return 'Carillon: this is a test message';
  const { opened, resolved } = content;
  const [first] = opened;
  const [recovered] = resolved;
  const label = ({ scheduleId, scheduleName }: ReportedAlert) => scheduleName ?? scheduleId;
  if (opened.length === 1 && resolved.length === 0 && first)
    return `Carillon: ${label(first)} needs attention`;
  if (opened.length === 0 && resolved.length === 1 && recovered)
    return `Carillon: ${label(recovered)} has recovered`;
  const parts = [
    ...(opened.length > 0 ? [`${count(opened.length, 'breach', 'breaches')}`] : []),
    ...(resolved.length > 0 ? [`${count(resolved.length, 'recovery', 'recoveries')}`] : []),
  ];
  return `Carillon: ${parts.join(', ')}`;
}

const count = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`;

/**
 * The message as plain text. Each alert has a sentence about the missed objective or its recovery, a sentence that
 * explains the occurrence, and a link.
 */
export function formatMessage(content: AlertMessageContent, linkTo: (scheduleId: string) => string): string {
  if (content.type === 'test')
    return `This is a test message, sent by ${content.actor}. Alerts of this project will arrive here.`;
  const lines = [
    ...content.opened.map((alert) => formatAlert(alert, alert.sentence, linkTo)),
    ...content.resolved.map((alert) =>
      formatAlert(
        alert,
        `${alert.scheduleName ?? alert.scheduleId}: ${alert.resolution ?? 'recovered'}`,
        linkTo,
      ),
    ),
  ];
  const more = lines.length - MAX_ALERTS_IN_TEXT;
  const shown = more > 0 ? [...lines.slice(0, MAX_ALERTS_IN_TEXT), `… and ${more} more`] : lines;
  return shown.join('\n\n');
}

function formatAlert(
  { scheduleId, occurrenceAt, why }: ReportedAlert,
  sentence: string,
  linkTo: (scheduleId: string) => string,
): string {
  const ledger = why === null ? [] : [`Ledger, ${instantInWords(occurrenceAt)}: ${why}`];
  return [sentence, ...ledger, linkTo(scheduleId)].join('\n');
}
