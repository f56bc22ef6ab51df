import type { AlertMessageContent, ChannelType, ReportedAlert } from '@carillon/shared';
import type { Pool } from 'pg';
import { type Database, inTransaction, type Transaction } from '../database.js';
import { INSTALLATION_IS_RELEASED } from '../engine/fencing.js';
import { explainOccurrences } from '../history/explain-occurrences.js';
import { milliseconds, NOW } from '../instants.js';
import { arrayOf, statement, type Values } from '../statement.js';

/** Maximum number of alerts that one message lists. Further alerts go into another message. */
const MAX_ALERTS_PER_MESSAGE = 200;

const selectProjects = statement<{ groupingMs: number; now: number | null }, { projectId: number }>(
  'read-projects-with-unreported-alerts',
  `select project_id as "projectId" from carillon.alerts where is_opening_untold or is_resolution_untold
   group by project_id
   having min(case when is_opening_untold then noted_at else resolution_noted_at end) <= ${NOW} - ${milliseconds(':groupingMs::float8')}`,
);

interface UnreportedAlert extends Omit<ReportedAlert, 'why'> {
  /** The id of the schedule's row; `scheduleId` is the id that clients use. */
  scheduleRow: number;
  isOpening: boolean;
  isResolution: boolean;
  isInMaintenance: boolean;
  nowAt: number;
}

/**
 * Locks the alerts of a project whose opening or resolution has not been reported yet. `isInMaintenance` is true if the
 * schedule is in a maintenance window now.
 */
const lockUnreported = statement<Values, UnreportedAlert>(
  'lock-unreported-alerts',
  `select a.id, a.dedup_id as "dedupId", a.schedule_key as "scheduleId", a.schedule_name as "scheduleName", a.kind, a.occurrence_at as "occurrenceAt",
          a.sentence, a.opened_at as "openedAt", a.resolved_at as "resolvedAt", a.resolution,
          a.is_opening_untold as "isOpening", a.is_resolution_untold as "isResolution",
          a.schedule_id as "scheduleRow", ${NOW} as "nowAt",
          exists (select from carillon.maintenance_windows w
                  where w.project_id = a.project_id and w.starts_at <= ${NOW} and w.ends_at > ${NOW}
                    and (w.schedule_key is null or w.schedule_key = a.schedule_key)) as "isInMaintenance"
   from carillon.alerts a
   where a.project_id = :projectId and (a.is_opening_untold or a.is_resolution_untold)
   order by a.id limit ${MAX_ALERTS_PER_MESSAGE * 5} for update skip locked`,
);

const markReported = statement<{
  projectId: number;
  openings: string;
  resolutions: string;
  silenced: string;
}>(
  'mark-alerts-reported',
  `update carillon.alerts
   set is_opening_untold = is_opening_untold and not id = any(:openings::bigint[] || :silenced::bigint[]),
       is_resolution_untold = is_resolution_untold and not id = any(:resolutions::bigint[] || :silenced::bigint[]),
       is_silenced = is_silenced or id = any(:silenced::bigint[])
   where project_id = :projectId and id = any(:openings::bigint[] || :resolutions::bigint[] || :silenced::bigint[])`,
);

const selectChannels = statement<{ projectId: number }, { id: number; type: ChannelType }>(
  'read-enabled-channels',
  'select id, type from carillon.alert_channels where project_id = :projectId and is_enabled order by id',
);

const insert = statement<Values, { id: number }>(
  'insert-alert-message',
  `insert into carillon.alert_messages (project_id, channel_id, content, created_at, next_try_at)
   values (:projectId, :channelId, :content, ${NOW}, ${NOW}) returning id`,
);

/** Stores a message for an alert channel, to be sent at once; returns its id. */
export async function insertMessage(
  db: Database,
  message: { projectId: number; channelId: number; content: AlertMessageContent; now: number | null },
): Promise<number> {
  const [row] = await insert(db, { ...message, content: JSON.stringify(message.content) });
  return row?.id ?? 0;
}

/**
 * Composes messages about alerts whose opening or resolution has not been reported yet. A channel gets one message for
 * up to 200 alerts; a PagerDuty channel gets one message for each alert. A project gets its messages when its oldest
 * unreported alert has waited for `groupingMs`, so that later alerts can join. Returns the number of messages.
 */
export async function composeMessages(
  pool: Pool,
  { groupingMs, now }: { groupingMs: number; now: number | null },
): Promise<number> {
  let messages = 0;
  for (const { projectId } of await selectProjects(pool, { groupingMs, now }))
    messages += await inTransaction(pool, (tx) => composeOfProject(tx, projectId, now));
  return messages;
}

async function composeOfProject(tx: Transaction, projectId: number, now: number | null): Promise<number> {
  const unreported = await lockUnreported(tx, { projectId, now });
  // An alert that was opened and resolved inside a maintenance window is never reported.
  const silenced = unreported.filter(
    (alert) => alert.isInMaintenance && alert.isOpening && alert.isResolution,
  );
  const openings = unreported.filter(({ isOpening, isInMaintenance }) => isOpening && !isInMaintenance);
  const resolutions = unreported.filter(
    (alert) => alert.isResolution && !(alert.isOpening && alert.isInMaintenance),
  );
  const ids = (alerts: readonly { id: number }[]) => arrayOf(alerts.map(({ id }) => id));
  await markReported(tx, {
    projectId,
    openings: ids(openings),
    resolutions: ids(resolutions),
    silenced: ids(silenced),
  });
  const channels = await selectChannels(tx, { projectId });
  if (channels.length === 0) return 0;
  const addExplanation = await explanationAdder(tx, { projectId, alerts: [...openings, ...resolutions] });
  const opened = openings.map(addExplanation);
  const resolved = resolutions.map(addExplanation);
  let messages = 0;
  for (const { id: channelId, type } of channels) {
    for (const content of contentsFor(type, opened, resolved)) {
      await insertMessage(tx, { projectId, channelId, content, now });
      messages++;
    }
  }
  return messages;
}

/**
 * PagerDuty takes one event per incident and groups incidents itself. Every other channel gets messages that list up to
 * 200 alerts each. Opened alerts come first, so that no alert is reported as resolved before it is reported as open.
 */
function contentsFor(
  type: ChannelType,
  opened: readonly ReportedAlert[],
  resolved: readonly ReportedAlert[],
): AlertMessageContent[] {
  const size = type === 'pagerduty' ? 1 : MAX_ALERTS_PER_MESSAGE;
  const reported = [
    ...opened.map((alert) => ({ alert, isOpening: true })),
    ...resolved.map((alert) => ({ alert, isOpening: false })),
  ];
  const contents: AlertMessageContent[] = [];
  for (let from = 0; from < reported.length; from += size) {
    const part = reported.slice(from, from + size);
    const pick = (isOpening: boolean) =>
      part.filter((each) => each.isOpening === isOpening).map(({ alert }) => alert);
    contents.push({ type: 'alerts', opened: pick(true), resolved: pick(false) });
  }
  return contents;
}

/**
 * Returns a function that adds to an alert a sentence that explains its occurrence, such as why it has not run or why
 * its run failed.
 */
async function explanationAdder(
  tx: Transaction,
  { projectId, alerts }: { projectId: number; alerts: readonly UnreportedAlert[] },
): Promise<(alert: UnreportedAlert) => ReportedAlert> {
  const nowAt = alerts[0]?.nowAt ?? 0;
  const occurrences = alerts.map(({ scheduleRow: scheduleId, occurrenceAt }) => ({
    scheduleId,
    occurrenceAt,
  }));
  const sentences = await explainOccurrences(tx, { projectId, occurrences, nowAt });
  const whyOf = new Map(alerts.map(({ id }, i) => [id, sentences[i] ?? null]));
  return ({
    scheduleRow: _row,
    isOpening: _o,
    isResolution: _r,
    isInMaintenance: _m,
    nowAt: _n,
    ...alert
  }) => ({
    ...alert,
    why: whyOf.get(alert.id) ?? null,
  });
}

/** A message that this worker has taken and must send. */
export interface TakenMessage {
  id: number;
  dedupId: string;
  projectId: number;
  projectKey: string;
  tries: number;
  content: AlertMessageContent;
  channelKey: string;
  type: ChannelType;
  settings: Record<string, unknown>;
  sealed: Buffer | null;
}

/**
 * A worker that has recorded no result for a message after this time counts as lost, and another worker takes the
 * message.
 */
const TAKEN_FOR = `interval '1 minute'`;

/**
 * Takes messages that are due, at most one per channel: the oldest message that was neither sent nor given up. Takes
 * none while the installation is held, which means that an operator has yet to decide how to go on, for example after a
 * restore.
 */
export const takeMessages = statement<{ limit: number; now: number | null }, TakenMessage>(
  'take-alert-messages',
  `with taken as (
     update carillon.alert_messages set tries = tries + 1, next_try_at = ${NOW} + ${TAKEN_FOR}
     where id in (
       select m.id from carillon.alert_messages m
       where m.next_try_at <= ${NOW} and ${INSTALLATION_IS_RELEASED} and not exists (
         select from carillon.alert_messages earlier
         where earlier.channel_id = m.channel_id and earlier.id < m.id and earlier.next_try_at is not null)
       order by m.next_try_at, m.id limit :limit for update skip locked
     )
     returning *
   )
   select m.id, m.dedup_id as "dedupId", m.project_id as "projectId", p.key as "projectKey", m.tries, m.content,
          c.key as "channelKey", c.type, c.settings, c.sealed
   from taken m join carillon.alert_channels c on c.id = m.channel_id and c.project_id = m.project_id
   join carillon.projects p on p.id = m.project_id order by m.id`,
);

export const markSent = statement<{ id: number; now: number | null }>(
  'mark-alert-message-sent',
  `update carillon.alert_messages set sent_at = ${NOW}, next_try_at = null, error = null where id = :id`,
);

/** Records a failed try. Without `retryInMs` the message is given up. */
export const markFailed = statement<{
  id: number;
  error: string;
  retryInMs: number | null;
  now: number | null;
}>(
  'mark-alert-message-failed',
  `update carillon.alert_messages set error = :error, next_try_at = ${NOW} + ${milliseconds(':retryInMs::float8')} where id = :id`,
);
