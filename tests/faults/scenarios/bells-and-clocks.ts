import { BELL_JOB, type Bell, Bells, PostgresClock, slotEnd } from '@carillon/queue';
import { eventually } from '@carillon/testkit';
import { expect } from 'vitest';
import { readArmed } from '../checks/bells.js';
import type { Scenario } from '../harness/play.js';

/** Node arguments that shift the clock of a process before it loads anything else. */
const shifted = (ms: number) => ({
  nodeArguments: ['--import', `data:text/javascript,const now=Date.now;Date.now=()=>now()+${ms}`],
});

const clocksApart: Scenario = {
  number: 9,
  fault: "one worker's clock is a minute ahead, and another's is a minute behind",
  holds: "no run fires early by Postgres's clock",
  async play(stage) {
    const { installation, random } = stage;
    const [ahead, behind] = random.pickMany([0, 1, 2], 2) as [number, number];
    await Promise.all([installation.workers[ahead]?.end(), installation.workers[behind]?.end()]);
    const [aheadMs, behindMs] = [random.integer(50_000, 70_000), random.integer(50_000, 70_000)];
    await Promise.all([
      installation.startWorker(ahead, shifted(aheadMs)),
      installation.startWorker(behind, shifted(-behindMs)),
    ]);
    stage.inject(2);
    await stage.load({ seconds: 4, size: 30 });
    const last = stage.webhook('alpha', stage.inMs(4_000));
    await stage.clients.alpha.create(last);
    await eventually(() => stage.receiver.log.some(({ scheduleKey }) => scheduleKey === last.id), {
      withinMs: 60_000,
    });
    stage.heal();
    await Promise.all([installation.workers[ahead]?.end(), installation.workers[behind]?.end()]);
  },
};

const YEAR_MS = 366 * 86_400_000;
const GARBAGE: unknown[] = [
  null,
  'bell',
  7,
  [],
  {},
  { ringAt: 'soon' },
  { ringAt: null },
  { ringAt: -1e300 },
];

const falseBells: Scenario = {
  number: 10,
  fault:
    'a hundred copies of a bell (a wake-up job in Redis) ring, and bells with garbage or with times long ago or far in the future',
  holds: 'no worker crashes, and no run is claimed twice',
  async play(stage) {
    const { installation, random } = stage;
    const { redis, prefix } = installation;
    const clock = new PostgresClock(Date.now);
    const { queue } = new Bells({ redis, prefix, clock, process: 'false', horizonMs: 0, onArmed: () => {} });
    const removedAfterwards = { removeOnComplete: true, removeOnFail: true };
    const dueAt = Date.now() + random.integer(1_500, 2_500);
    await stage.load({ seconds: 3, size: 10 });
    const victims = Array.from({ length: 20 }, () =>
      stage.webhook('alpha', { at: new Date(dueAt).toISOString() }),
    );
    // A bell (the delayed job that wakes a worker) has an id that is derived from its slot. Here the ids of the bells
    // of these schedules are taken already, by bells that ring in a year.
    const later = stage.webhook('alpha', stage.inMs(9_000));
    const laterAt = Date.parse((later.rule as { at: string }).at);
    const taken = [dueAt, laterAt].map((at) => `bell-${slotEnd(at)}`);
    for (const jobId of taken)
      await queue.add(BELL_JOB, { ringAt: dueAt + YEAR_MS }, { ...removedAfterwards, jobId, delay: YEAR_MS });
    await stage.clients.alpha.createMany([...victims, later]);
    const bell = (name: string, data: unknown, opts = {}) => ({
      name,
      data: data as Bell,
      opts: { ...removedAfterwards, ...opts },
    });
    const delay = Math.max(0, dueAt - Date.now());
    await queue.addBulk([
      ...Array.from({ length: 100 }, () => bell(BELL_JOB, { ringAt: slotEnd(dueAt) }, { delay })),
      ...GARBAGE.map((data) => bell(BELL_JOB, data, { delay: random.integer(0, 500) })),
      ...GARBAGE.map((data) => bell(random.pick(['sweep', 'prune', '']), data)),
      ...Array.from({ length: 20 }, () => bell(BELL_JOB, { ringAt: random.integer(-1e12, 1e12) })),
      ...Array.from({ length: 5 }, () => bell(BELL_JOB, { ringAt: Date.now() + YEAR_MS })),
    ]);
    stage.inject(101 + 2 * GARBAGE.length + 25);
    const hasCome = ({ id }: { id: string }) =>
      stage.receiver.log.some(({ scheduleKey }) => scheduleKey === id);
    await eventually(() => victims.every(hasCome), { withinMs: 60_000, what: 'all deliveries' });
    // Long before `later` is due, the sweep notices that no valid bell exists for it, and adds one under another id.
    await eventually(async () => (await readArmed(installation)).has(slotEnd(laterAt)), {
      withinMs: laterAt - Date.now() - 1_500,
      what: 'a bell for what is due later',
    });
    for (const jobId of taken) await queue.remove(jobId);
    stage.heal();
    expect(installation.workers.map(({ isRunning }) => isRunning)).toEqual([true, true, true]);
  },
};

export const bellsAndClocks = [clocksApart, falseBells];
