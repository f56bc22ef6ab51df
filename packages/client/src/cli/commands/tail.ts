import type { CarillonEvent } from '../../types/event.js';
import { command } from '../command.js';
import { harmless, lookOf, type Style } from '../terminal.js';
import { inWords, shortTime } from '../times.js';

export const tail = command({
  name: 'tail',
  summary: 'Follow what happens, as it happens',
  details:
    'Goes on until Ctrl-C; a lost connection is made anew, and nothing is left out. With --json, a line for each.',
  usage: '',
  words: { least: 0, most: 0 },
  options: {
    schedule: { type: 'string', short: 's', value: '<id>', multiple: true, about: 'of this schedule only' },
    type: {
      type: 'string',
      value: '<type>',
      multiple: true,
      about:
        'only run.started, run.succeeded, run.failed, run.retrying, run.skipped, run.cancelled or schedule.changed',
    },
    since: { type: 'string', value: '<event>', about: 'begin after this event: the lastEventId of --json' },
  },
  examples: [
    'carillon tail',
    'carillon tail --type run.failed --schedule standup',
    'carillon tail --json | jq .data.runId',
  ],
  async run({ values, client, terminal, isJson }): Promise<undefined> {
    const events = client.events({
      signal: terminal.signal,
      lastEventId: values.since,
      onReconnect: (error) =>
        terminal.note(`${error?.message ?? 'the connection was lost'}; connecting anew\n`),
    });
    for await (const event of events) {
      if (!isWanted(event, { schedules: values.schedule, types: values.type })) continue;
      terminal.out(`${isJson ? JSON.stringify(event) : lineOf(event, terminal.style)}\n`);
    }
  },
});

/** That something was left out concerns everybody. */
function isWanted(
  event: CarillonEvent,
  { schedules, types }: { schedules: string[] | undefined; types: string[] | undefined },
): boolean {
  if (event.type === 'overflow') return true;
  if (types && !types.includes(event.type)) return false;
  return !schedules || (event.data.scheduleId !== null && schedules.includes(event.data.scheduleId));
}

function lineOf(event: CarillonEvent, style: Style): string {
  const line = (at: string, what: string, status: string, ...rest: string[]) =>
    [style('dim', shortTime(at)), style(lookOf(status), what.padEnd(10)), ...rest.map(harmless)].join('  ');
  if (event.type === 'overflow') return style('yellow', harmless(event.data.detail));
  if (event.type === 'schedule.changed') {
    const { at, action, actor, scheduleId } = event.data;
    return line(at, action.replace(/^schedule\./, ''), '', scheduleId ?? '', `by ${actor}`);
  }
  const { data } = event;
  const what = event.type.slice('run.'.length);
  const at = (what === 'started' ? data.claimedAt : data.finishedAt) ?? data.claimedAt ?? data.enqueuedAt;
  const details = [
    data.attemptCount > 1 ? `attempt ${data.attemptCount}` : null,
    what === 'started' && data.latenessMs !== null ? `${inWords(data.latenessMs)} late` : null,
    what !== 'started' && data.durationMs !== null ? `in ${inWords(data.durationMs)}` : null,
    what === 'started' ? null : (data.reason ?? data.lastError),
    what === 'retrying' && data.nextRetryAt !== null ? `again at ${shortTime(data.nextRetryAt)}` : null,
  ];
  return line(at, what, what, data.scheduleId, data.runId, details.filter(Boolean).join(', ')).trimEnd();
}
