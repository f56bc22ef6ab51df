import { command } from '../command.js';
import { eachId } from '../each-id.js';
import { readOptionalTime, readTime, shortTime } from '../times.js';
import { UsageError } from '../usage-error.js';
import { standing } from './edit-schedule.js';

const MANY = { usage: '<id>…', words: { least: 1, most: 1_000 } };
const ONE = { usage: '<id>', words: { least: 1, most: 1 } };

export const pause = command({
  name: 'pause',
  summary: 'Pause schedules, for good reason or until a time',
  ...MANY,
  options: {
    note: { type: 'string', value: '<text>', about: 'why; `carillon why` shows it' },
    until: { type: 'string', value: '<time>', about: 'resume by itself, such as at +2h' },
  },
  examples: ['carillon schedules pause standup --note "incident 7" --until +2h'],
  run: ({ positionals, client, values }) => {
    const asked = { note: values.note ?? null, until: readOptionalTime(values.until, Date.now()) ?? null };
    const say = (id: string, until: string | null) =>
      `${id} is paused${until ? ` until ${shortTime(until)}` : ''}`;
    return eachId(
      positionals,
      (id) => client.schedules.pause(id, asked),
      ({ id, pause }) => say(id, pause?.until ?? null),
    );
  },
});

export const resume = command({
  name: 'resume',
  summary: 'Resume paused schedules',
  ...MANY,
  options: {},
  examples: ['carillon schedules resume standup'],
  run: ({ positionals, client }) =>
    eachId(
      positionals,
      (id) => client.schedules.resume(id),
      (schedule) => `${schedule.id} is ${standing(schedule)}`,
    ),
});

export const trigger = command({
  name: 'trigger',
  summary: 'Run schedules now; what comes next stays where it is',
  ...MANY,
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
  summary: 'Move the next occurrence of a schedule, and only that one',
  ...ONE,
  options: { to: { type: 'string', value: '<time>', about: 'when instead, such as +30m' } },
  examples: ['carillon schedules reschedule standup --to 2026-11-16T15:30:00Z'],
  run: ({ positionals, client, values }) => {
    if (values.to === undefined) throw new UsageError('to when? Give --to');
    const at = readTime(values.to, Date.now());
    return eachId(
      positionals,
      (id) => client.schedules.reschedule(id, { at }),
      (schedule) => `${schedule.id} is ${standing(schedule)}`,
    );
  },
});

export const skipNext = command({
  name: 'skip-next',
  summary: 'Leave the next occurrence out',
  ...MANY,
  options: {},
  examples: ['carillon schedules skip-next standup'],
  run: ({ positionals, client }) =>
    eachId(
      positionals,
      (id) => client.schedules.skipNext(id),
      (schedule) => `${schedule.id} leaves out ${shortTime(schedule.skipped)}, and is ${standing(schedule)}`,
    ),
});

export const backfill = command({
  name: 'backfill',
  summary: 'Run the occurrences of a range that did not succeed',
  ...ONE,
  options: {
    from: { type: 'string', value: '<time>', about: 'the beginning, such as "2h ago"' },
    to: { type: 'string', value: '<time>', about: 'the end; now unless said' },
  },
  examples: ['carillon schedules backfill standup --from 2026-11-02T00:00:00Z --to 2026-11-07T00:00:00Z'],
  run: ({ positionals, client, values }) => {
    if (values.from === undefined) throw new UsageError('since when? Give --from');
    const nowAt = Date.now();
    const range = { from: readTime(values.from, nowAt), to: readTime(values.to ?? 'now', nowAt) };
    return eachId(
      positionals,
      (id) => client.schedules.backfill(id, range),
      ({ id, backfilled }) => `${id}: ${backfilled} to run`,
    );
  },
});

export const cancel = command({
  name: 'cancel',
  summary: 'Cancel schedules for good',
  ...MANY,
  options: {},
  examples: ['carillon schedules cancel standup'],
  run: ({ positionals, client }) =>
    eachId(
      positionals,
      (id) => client.schedules.cancel(id),
      ({ id, inFlight }) =>
        `${id} is cancelled${inFlight.length === 0 ? '' : `; in flight, and going on to their end: ${inFlight.join(', ')}`}`,
    ),
});
