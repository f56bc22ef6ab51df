import type { EventOptions } from '../../events.js';
import type { CarillonEvent } from '../../types/event.js';
import { command } from '../command.js';
import { lookOf, type Style, withoutControls } from '../terminal.js';
import { inWords, shortTime } from '../times.js';

export const tail = command({
  name: 'tail',
  summary: 'Follow events as they happen',
  details:
    'Runs until Ctrl-C. Reconnects and resumes after a lost connection. With --json, prints one line per event.',
  usage: '',
  words: { least: 0, most: 0 },
  options: {
    schedule: {
      type: 'string',
      short: 's',
      value: '<id>',
      multiple: true,
      about: 'only events of this schedule',
    },
    type: {
      type: 'string',
      value: '<type>',
      multiple: true,
      about:
        'only run.started, run.succeeded, run.failed, run.retrying, run.skipped, run.cancelled or schedule.changed',
    },
    since: { type: 'string', value: '<event>', about: 'resume after this event, the lastEventId of --json' },
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
      schedules: values.schedule,
      types: values.type as EventOptions['types'],
      onReconnect: (error) => terminal.note(`${error?.message ?? 'the connection was lost'}; reconnecting\n`),
    });
    for await (const event of events) {
      terminal.out(`${isJson ? JSON.stringify(event) : lineOf(event, terminal.style)}\n`);
    }
  },
});

function lineOf(event: CarillonEvent, style: Style): string {
  const line = (at: string, what: string, status: string, ...rest: string[]) =>
    [style('dim', shortTime(at)), style(lookOf(status), what.padEnd(10)), ...rest.map(withoutControls)].join(
      '  ',
    );
  if (event.type === 'overflow') return style('yellow', withoutControls(event.data.detail));
  if (event.type === 'digest') return `${event.data.total} events`;
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
