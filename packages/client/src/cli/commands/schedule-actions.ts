import { command } from '../command.js';
import { eachId } from '../each-id.js';
import { readOptionalTime, readTime, shortTime } from '../times.js';
import { UsageError } from '../usage-error.js';
import { statusText } from './edit-schedule.js';

const SEVERAL_IDS = { usage: '<id>…', words: { least: 1, most: 1_000 } };
const ONE_ID = { usage: '<id>', words: { least: 1, most: 1 } };

export const pause = command({
  name: 'pause',
  summary: 'Pause schedules',
  ...SEVERAL_IDS,
  options: {
    note: { type: 'string', value: '<text>', about: 'reason; `carillon why` shows it' },
    until: { type: 'string', value: '<time>', about: 'resume automatically at this time, such as +2h' },
  },
  examples: ['carillon schedules pause standup --note "incident 7" --until +2h'],
  run: ({ positionals, client, values }) => {
    const asked = { note: values.note ?? null, until: readOptionalTime(values.until, Date.now()) ?? null };
    const describe = (id: string, until: string | null) =>
      `${id} is paused${until ? ` until ${shortTime(until)}` : ''}`;
    return eachId(
      positionals,
      (id) => client.schedules.pause(id, asked),
      ({ id, pause }) => describe(id, pause?.until ?? null),
    );
  },
});

export const resume = command({
  name: 'resume',
  summary: 'Resume paused schedules',
  ...SEVERAL_IDS,
  options: {},
  examples: ['carillon schedules resume standup'],
  run: ({ positionals, client }) =>
    eachId(
      positionals,
      (id) => client.schedules.resume(id),
      (schedule) => `${schedule.id} is ${statusText(schedule)}`,
    ),
});

export const trigger = command({
  name: 'trigger',
  summary: 'Run schedules now, in addition to their next occurrence',
  ...SEVERAL_IDS,
  options: {},
  examples: ['carillon schedules trigger standup'],
  run: ({ positionals, client }) =>
    eachId(
      positionals,
      (id) => client.schedules.trigger(id),
      ({ id, runId }) => `${id} runs now, as ${runId}`,
    ),
});

export const reschedule = command({
  name: 'reschedule',
  summary: 'Move the next occurrence of a schedule to another time',
  ...ONE_ID,
  options: { to: { type: 'string', value: '<time>', about: 'new time, such as +30m' } },
  examples: ['carillon schedules reschedule standup --to 2026-11-16T15:30:00Z'],
  run: ({ positionals, client, values }) => {
    if (values.to === undefined) throw new UsageError('missing time; use --to');
    const at = readTime(values.to, Date.now());
    return eachId(
      positionals,
      (id) => client.schedules.reschedule(id, { at }),
      (schedule) => `${schedule.id} is ${statusText(schedule)}`,
    );
  },
});

export const skipNext = command({
  name: 'skip-next',
  summary: 'Skip the next occurrence',
  ...SEVERAL_IDS,
  options: {},
  examples: ['carillon schedules skip-next standup'],
  run: ({ positionals, client }) =>
    eachId(
      positionals,
      (id) => client.schedules.skipNext(id),
      (schedule) => `${schedule.id} skips ${shortTime(schedule.skipped)}, and is ${statusText(schedule)}`,
    ),
});

export const backfill = command({
  name: 'backfill',
  summary: 'Run the past occurrences of a time range that have no successful run',
  ...ONE_ID,
  options: {
    from: { type: 'string', value: '<time>', about: 'start of the range, such as "2h ago"' },
    to: { type: 'string', value: '<time>', about: 'end of the range (default now)' },
  },
  examples: ['carillon schedules backfill standup --from 2026-11-02T00:00:00Z --to 2026-11-07T00:00:00Z'],
  run: ({ positionals, client, values }) => {
    if (values.from === undefined) throw new UsageError('missing start; use --from');
    const nowAt = Date.now();
    const range = { from: readTime(values.from, nowAt), to: readTime(values.to ?? 'now', nowAt) };
    return eachId(
      positionals,
      (id) => client.schedules.backfill(id, range),
      ({ id, backfilled }) => `${id}: ${backfilled} runs created`,
    );
  },
});

export const cancel = command({
  name: 'cancel',
  summary: 'Cancel schedules permanently',
  ...SEVERAL_IDS,
  options: {
    purge: { type: 'boolean', about: 'also remove the schedules with their history; frees their ids' },
  },
  examples: ['carillon schedules cancel standup', 'carillon schedules cancel standup --purge'],
  run: ({ positionals, client, values }) =>
    eachId(
      positionals,
      (id) => client.schedules.cancel(id, { purge: values.purge }),
      ({ id, inFlight, purged }) =>
        `${id} is ${purged ? 'removed' : 'cancelled'}${inFlight.length === 0 ? '' : `; runs in flight are not interrupted: ${inFlight.join(', ')}`}`,
    ),
});
