import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Scenario } from '../harness/play.js';
import type { Input, Stage } from '../harness/stage.js';

/**
 * Changes that are sent at the very moment at which a schedule fires. The API either accepts such a change, or refuses
 * it as too late.
 */
const CHANGES: ((stage: Stage, input: Input) => Promise<{ status: number }>)[] = [
  (stage, { id }) => stage.clients.alpha.cancel(id),
  (stage, { id }) => stage.clients.alpha.act(id, 'pause', { note: 'race' }),
  async (stage, { id }) => {
    await stage.clients.alpha.act(id, 'pause');
    await sleep(stage.random.integer(0, 30));
    return stage.clients.alpha.act(id, 'resume');
  },
  (stage, { id }) => stage.clients.alpha.edit(id, { payload: { edited: true } }),
  (stage, { id }) => stage.clients.alpha.edit(id, { rule: { every: 'PT2S' } }),
  (stage, { id }) => stage.clients.alpha.act(id, 'reschedule', stage.inMs(stage.random.integer(1, 2_000))),
  (stage, { id }) => stage.clients.alpha.act(id, 'skip-next'),
  (stage, { id }) => stage.clients.alpha.act(id, 'trigger'),
];

const changesRaceFires: Scenario = {
  number: 13,
  fault: 'cancels, pauses, edits, reschedules, skips and triggers race with the fires of their schedules',
  holds: 'once the API has acknowledged a change, no run starts that the change rules out',
  async play(stage) {
    const { random, clients } = stage;
    const count = stage.scaled({ short: 100, long: 500, full: 500 });
    const from = Date.now() + 2_000;
    const races = Array.from({ length: count }, () => ({
      dueAt: from + random.integer(0, count * 25),
      offsetMs: random.integer(-12, 12),
      change: random.pick(CHANGES),
    }));
    const inputs = races.map(({ dueAt }) => {
      const at = new Date(dueAt).toISOString();
      const rule = random.isLikely(0.7) ? { at } : { rrule: `DTSTART:${compact(at)}\nRRULE:FREQ=SECONDLY` };
      return stage.webhook('alpha', rule);
    });
    await clients.alpha.createMany(inputs);
    const statuses = await Promise.all(
      races.map(async ({ dueAt, offsetMs, change }, index) => {
        await sleep(Math.max(0, dueAt + offsetMs - Date.now()));
        return (await change(stage, inputs[index] as Input)).status;
      }),
    );
    stage.inject(count);
    stage.heal();
    // 409: the schedule had already fired and was finished. 503: the machine was too busy, so the change was not
    // acknowledged.
    expect(statuses.filter((status) => ![200, 409, 503].includes(status))).toEqual([]);
    expect(statuses).toContain(200);
  },
};

/** An instant in the form of RFC 5545, with whole seconds. */
const compact = (at: string) => `${at.replace(/[-:]/g, '').slice(0, 15)}Z`;

const rollingRestart: Scenario = {
  number: 14,
  fault: 'all workers are restarted one after the other under load',
  holds: 'no attempt ends with an unknown result',
  async play(stage) {
    const { installation } = stage;
    await stage.load({ seconds: 8, size: 40 });
    const rounds = stage.scaled({ short: 1, long: 2, full: 2 });
    for (let round = 0; round < rounds; round++) {
      for (const index of stage.random.pickMany([0, 1, 2], 3)) {
        await installation.workers[index]?.end('SIGTERM');
        await installation.startWorker(index);
        stage.inject();
      }
    }
    stage.heal();
    const { rows } = await installation.pool.query(
      `select from carillon.run_attempts where schedule_id > $1 and outcome = 'unknown'`,
      [stage.mark.sinceId],
    );
    expect(rows.length).toBe(0);
  },
};

export const races = [changesRaceFires, rollingRestart];
