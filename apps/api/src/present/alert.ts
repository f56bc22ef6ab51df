import type { AlertView, ChannelView, MaintenanceView, MessageView } from '@carillon/db';
import {
  type Alert,
  type AlertChannel,
  type AlertMessage,
  type Maintenance,
  PAGERDUTY_URL,
  REDACTED,
} from '@carillon/shared';
import type { z } from 'zod';
import { iso } from './iso.js';

export function presentAlert(alert: AlertView, why: string | null): z.infer<typeof Alert> {
  const { dedupId, scheduleKey, scheduleName, kind, occurrenceAt, sentence, openedAt, resolvedAt } = alert;
  return {
    id: dedupId,
    scheduleId: scheduleKey,
    scheduleName,
    kind,
    state: resolvedAt === null ? 'open' : 'resolved',
    occurrenceAt: iso(occurrenceAt),
    sentence,
    why,
    openedAt: iso(openedAt),
    resolvedAt: iso(resolvedAt),
    resolution: alert.resolution,
    silenced: alert.isSilenced,
  };
}

export function presentMessage(message: MessageView): z.infer<typeof AlertMessage> {
  const { createdAt, tries, sentAt, nextTryAt, error } = message;
  const status = sentAt !== null ? 'sent' : nextTryAt === null ? 'failed' : 'pending';
  return { at: iso(createdAt), status, tries, sentAt: iso(sentAt), nextTryAt: iso(nextTryAt), error };
}

/** An alert channel as the API shows it, without its secrets. */
export function presentChannel(
  channel: ChannelView,
  lastMessage: MessageView | null,
): z.infer<typeof AlertChannel> {
  const { key, type, isEnabled, settings, sealed, createdAt, updatedAt } = channel;
  return {
    id: key,
    type,
    enabled: isEnabled,
    url: urlOf(channel),
    to: (settings.to as string[] | undefined) ?? null,
    hasSecret: sealed !== null,
    lastMessage: lastMessage && presentMessage(lastMessage),
    createdAt: iso(createdAt),
    updatedAt: iso(updatedAt),
  };
}

function urlOf({ type, settings }: ChannelView): string | null {
  if (type === 'slack') return REDACTED;
  if (type === 'pagerduty') return String(settings.url ?? PAGERDUTY_URL);
  return (settings.url as string | undefined) ?? null;
}

export const presentMaintenance = (window: MaintenanceView): z.infer<typeof Maintenance> => ({
  id: String(window.id),
  schedule: window.schedule,
  startAt: iso(window.startsAt),
  endAt: iso(window.endsAt),
  note: window.note,
  createdBy: window.createdBy,
});
