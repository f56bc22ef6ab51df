import type { SecretBox, TakenMessage } from '@carillon/db';
import type { PostgresClock } from '@carillon/queue';
import {
  formatMessage,
  type Outcome,
  PAGERDUTY_URL,
  type ReportedAlert,
  summarizeMessage,
  type WebhookAlert,
} from '@carillon/shared';
import type { z } from 'zod';
import type { Poster } from '../delivery/targets/post.js';
import { outcomeOf, webhookHeaders } from '../delivery/targets/webhook.js';
import type { ProjectSettings } from '../delivery/traffic/project-settings.js';
import type { SendEmail } from './email.js';
import type { SendToChannel } from './message-sender.js';

export interface ChannelParts {
  poster: Poster;
  settings: Pick<ProjectSettings, 'secretsOf'>;
  box: SecretBox | null;
  clock: PostgresClock;
  sendEmail: SendEmail;
  /** The address of the dashboard. */
  publicUrl: string;
}

/** The settings of a channel that are stored encrypted. */
interface ChannelSecrets {
  url?: string;
  secret?: string | null;
  routingKey?: string;
}

interface Letter {
  message: TakenMessage;
  secrets: ChannelSecrets;
  signal: AbortSignal;
}

/** Returns a function that sends an alert message in the form for the type of its channel. */
export function sendByType(parts: ChannelParts): SendToChannel {
  const base = parts.publicUrl.replace(/\/+$/, '');
  const linkTo = (scheduleId: string) => `${base}/schedules/${encodeURIComponent(scheduleId)}`;
  const post = async (
    { message, signal }: Letter,
    { url, headers, body }: { url: string; headers: Record<string, string>; body: string },
  ): Promise<Outcome> => {
    const result = await parts.poster.post({ projectId: message.projectId, url, headers, body, signal });
    const outcome = outcomeOf(result, parts.clock.now());
    return outcome.kind === 'deferred'
      ? { kind: 'failed', isTransient: true, errorCode: 'error', error: outcome.reason }
      : outcome;
  };
  const JSON_TYPE = { 'content-type': 'application/json' };

  const senders: Record<TakenMessage['type'], (letter: Letter) => Promise<Outcome>> = {
    async webhook(letter) {
      const { message, secrets } = letter;
      const body = JSON.stringify(webhookBody(message, linkTo));
      const signing = secrets.secret ? [secrets.secret] : await parts.settings.secretsOf(message.projectId);
      const id = `alert_${message.dedupId}`;
      const headers = {
        ...JSON_TYPE,
        ...webhookHeaders({ id, body, nowAt: parts.clock.now() }, signing),
        'x-idempotency-key': id,
      };
      return post(letter, { url: String(message.settings.url), headers, body });
    },
    slack(letter) {
      const { content } = letter.message;
      const text = `*${summarizeMessage(content)}*\n${escapeForSlack(formatMessage(content, linkTo))}`;
      return post(letter, {
        url: letter.secrets.url ?? '',
        headers: JSON_TYPE,
        body: JSON.stringify({ text }),
      });
    },
    pagerduty(letter) {
      const { message, secrets } = letter;
      const body = JSON.stringify({
        routing_key: secrets.routingKey,
        client: 'Carillon',
        client_url: base,
        ...pagerDutyEvent(message, linkTo),
      });
      return post(letter, { url: String(message.settings.url ?? PAGERDUTY_URL), headers: JSON_TYPE, body });
    },
    email({ message }) {
      const { content, dedupId } = message;
      return parts.sendEmail({
        to: message.settings.to as string[],
        subject: summarizeMessage(content),
        text: formatMessage(content, linkTo),
        messageId: `<${dedupId}@carillon>`,
      });
    },
  };
  return (message, signal) => {
    const sealed = message.sealed;
    if (sealed !== null && parts.box === null) return Promise.resolve(NO_KEY);
    const secrets = sealed === null ? {} : JSON.parse(parts.box?.open(sealed, message.projectId) ?? '{}');
    return senders[message.type]({ message, secrets, signal });
  };
}

const NO_KEY: Outcome = {
  kind: 'failed',
  isTransient: true,
  errorCode: 'not_configured',
  error: 'the worker has no CARILLON_ENCRYPTION_KEY, so it cannot read the settings of the channel',
};

function iso(at: number): string;
function iso(at: number | null): string | null;
function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

function webhookBody(
  { content, projectKey }: TakenMessage,
  linkTo: (scheduleId: string) => string,
): z.infer<typeof WebhookAlert> {
  const summary = summarizeMessage(content);
  if (content.type === 'test')
    return { type: 'alert.test', project: projectKey, summary, opened: [], resolved: [] };
  const toItem = (alert: ReportedAlert) => ({
    id: alert.dedupId,
    scheduleId: alert.scheduleId,
    scheduleName: alert.scheduleName,
    kind: alert.kind,
    occurrenceAt: iso(alert.occurrenceAt),
    openedAt: iso(alert.openedAt),
    resolvedAt: iso(alert.resolvedAt),
    sentence: alert.sentence,
    why: alert.why,
    resolution: alert.resolution,
    link: linkTo(alert.scheduleId),
  });
  return {
    type: 'alert',
    project: projectKey,
    summary,
    opened: content.opened.map((alert) => ({ ...toItem(alert), resolvedAt: null, resolution: null })),
    resolved: content.resolved.map(toItem),
  };
}

/** The summary of a PagerDuty event has at most this many characters. */
const MAX_SUMMARY_LENGTH = 1_024;

/**
 * A message to PagerDuty is one event about one alert. The events of a breach and of its recovery have the same
 * `dedup_key`, so that the recovery resolves the incident.
 */
function pagerDutyEvent(
  { content, projectKey, dedupId }: TakenMessage,
  linkTo: (scheduleId: string) => string,
) {
  const source = `carillon/${projectKey}`;
  if (content.type === 'test')
    return {
      event_action: 'trigger',
      dedup_key: dedupId,
      payload: { summary: summarizeMessage(content), source, severity: 'info' },
    };
  const [opened] = content.opened;
  const alert = opened ?? content.resolved[0];
  if (!alert) throw new Error('a message without an alert');
  return {
    event_action: opened ? 'trigger' : 'resolve',
    dedup_key: alert.dedupId,
    payload: {
      summary: (opened ? alert.sentence : (alert.resolution ?? '')).slice(0, MAX_SUMMARY_LENGTH),
      source,
      severity: 'error',
      timestamp: iso(opened ? alert.openedAt : alert.resolvedAt),
      component: alert.scheduleId,
      class: alert.kind,
      custom_details: { occurrenceAt: iso(alert.occurrenceAt), why: alert.why },
    },
    links: [{ href: linkTo(alert.scheduleId), text: 'Schedule' }],
  };
}

/** Slack reads these three characters as the start of mentions and links. */
const escapeForSlack = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
