import { IDLE_BEHAVIOURS, TICKS, WakeUps } from '@carillon/queue';
import { eventually, useDatabase } from '@carillon/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Ticks } from '../src/ticks.js';
import { useParts } from './support.js';

const database = useDatabase();
const worker = useParts(database);
const done = { sweep: 0, prune: 0, events: 0, tasks: 0 };
let ticks: Ticks;
let wakeUps: WakeUps;

beforeAll(() => {
  const { producer, blocking: redis } = worker.connections;
  const { prefix } = database;
  const count = (name: keyof typeof done) => async () => void done[name]++;
  ticks = new Ticks({
    producer,
    redis,
    prefix,
    idle: IDLE_BEHAVIOURS.punctual,
    sweepIntervalMs: 100,
    taskScanCron: '0 * * * *',
    auditIntervalMs: 3_600_000,
    log: worker.context.log,
    postgres: worker.context.postgres,
    work: {
      sweep: count('sweep'),
      prune: async () => {
        throw new Error('pruning failed on purpose');
      },
      events: count('events'),
      calendars: async () => {},
      tasks: count('tasks'),
      alerts: async () => {},
      audit: async () => {},
      forecasts: async () => {},
    },
  });
  wakeUps = new WakeUps({ redis: producer, prefix });
});
afterAll(async () => {
  await ticks.close();
  await wakeUps.close();
});

describe('ticks', () => {
  it('the sweep, one of the periodic jobs of a worker, is repeated by BullMQ', async () => {
    await ticks.ensure();
    await eventually(() => done.sweep >= 2);
  });

  it('a wake-up makes a worker carry out a periodic job (a tick) at once', async () => {
    await wakeUps.wake(TICKS.events);
    await wakeUps.wake(TICKS.tasks);
    await eventually(() => done.events === 1 && done.tasks === 1);
  });

  it('a periodic job (a tick) that fails is logged, and the other periodic jobs go on', async () => {
    await wakeUps.wake(TICKS.prune);
    await eventually(() =>
      worker.messages.includes('Periodic job failed; it runs again at its next interval'),
    );
    const before = done.sweep;
    await eventually(() => done.sweep > before);
  });

  it('a worker adds its periodic jobs (ticks) to BullMQ again after Redis has lost them', async () => {
    expect(await ticks.isSweepKnown()).toBe(true);
    const { producer } = worker.connections;
    await producer.del(await producer.keys(`${database.prefix}:*`));
    expect(await ticks.isSweepKnown()).toBe(false);
    await ticks.ensure();
    const before = done.sweep;
    await eventually(() => done.sweep > before);
    expect(await ticks.isSweepKnown()).toBe(true);
  });
});
