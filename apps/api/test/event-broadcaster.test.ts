import { pauseSchedule, resumeSchedule } from '@carillon/db';
import { PostgresClock } from '@carillon/queue';
import { eventually, insertSchedules, useDatabase } from '@carillon/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { EventBroadcaster } from '../src/events/event-broadcaster.js';
import { decodePosition } from '../src/events/position.js';

const EVERY_EVENT = { filter: null, isDigest: false };
const database = useDatabase();
const broadcasters: EventBroadcaster[] = [];
afterEach(() => {
  for (const broadcaster of broadcasters.splice(0)) broadcaster.close();
});

function broadcast(): EventBroadcaster {
  const errors: unknown[] = [];
  const broadcaster = new EventBroadcaster(database.pool, new PostgresClock(Date.now), (error) =>
    errors.push(error),
  );
  broadcasters.push(broadcaster);
  return broadcaster;
}

/** A listener that stores the text that it receives. */
function listener() {
  const received: string[] = [];
  return {
    received,
    write: (text: string) => received.push(text),
    drained: async () => {},
    isClosed: false,
    hears: (action: string) => eventually(() => received.join('').includes(`"action":"schedule.${action}"`)),
  };
}

const positionOf = (received: readonly string[]) =>
  decodePosition([...received.join('').matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? '');

const change = (key: string) => ({ ref: { projectId: database.projectId, key }, actor: 'test' });

describe('EventBroadcaster', () => {
  it('event broadcaster: all listeners of a project share one polling loop, which ends when the last listener leaves', async () => {
    const broadcaster = broadcast();
    await insertSchedules(database, [{ id: 'shared', rule: { every: 'P1D' } }]);
    await broadcaster.waitUntilReady(database.projectId);
    const [first, second] = [listener(), listener()];
    const subscriptions = [first, second].map((each) =>
      broadcaster.subscribe(database.projectId, { since: null, preferences: EVERY_EVENT }, each),
    );
    expect(broadcaster.size).toBe(1);
    await Promise.all(subscriptions.map(({ caughtUp }) => caughtUp));
    await pauseSchedule(database.pool, change('shared'), { note: null, untilAt: null });
    await Promise.all([first.hears('paused'), second.hears('paused')]);
    for (const { stop } of subscriptions) stop();
    await eventually(() => broadcaster.size === 0);
  });

  it('event broadcaster: a listener that reconnects with a position gets the events since that position, and then live events', async () => {
    const broadcaster = broadcast();
    await insertSchedules(database, [{ id: 'resumed', rule: { every: 'P1D' } }]);
    await broadcaster.waitUntilReady(database.projectId);
    const first = listener();
    const { caughtUp, stop } = broadcaster.subscribe(
      database.projectId,
      { since: null, preferences: EVERY_EVENT },
      first,
    );
    await caughtUp;
    const since = positionOf(first.received);
    stop();
    await pauseSchedule(database.pool, change('resumed'), { note: null, untilAt: null });
    await broadcaster.waitUntilReady(database.projectId);
    const second = listener();
    await broadcaster.subscribe(database.projectId, { since, preferences: EVERY_EVENT }, second).caughtUp;
    await second.hears('paused');
    await resumeSchedule(database.pool, change('resumed'));
    await second.hears('resumed');
  });

  it('event broadcaster: a closed broadcaster stops polling', async () => {
    const broadcaster = broadcast();
    await broadcaster.waitUntilReady(database.projectId);
    broadcaster.subscribe(database.projectId, { since: null, preferences: EVERY_EVENT }, listener());
    broadcaster.close();
    await eventually(() => broadcaster.size === 0);
  });
});
