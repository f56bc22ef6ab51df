import { setTimeout as sleep } from 'node:timers/promises';
import { slotEnd } from '@carillon/queue';
import { eventually } from '@carillon/testkit';
import { expect } from 'vitest';
import { readArmed } from '../checks/bells.js';
import { PROJECTS } from './installation.js';
import type { Input, Stage } from './stage.js';

/**
 * Creates schedules in every project while `work` goes on, and returns the status codes of the answers. Each must be
 * 201, or 503 because Postgres is unavailable. Any other answer fails the scenario.
 */
export async function createThroughout(
  stage: Stage,
  work: (statuses: readonly number[]) => Promise<void>,
): Promise<readonly number[]> {
  const statuses: number[] = [];
  let isOver = false;
  const creating = PROJECTS.map(async (project) => {
    while (!isOver) {
      const input = stage.webhook(project, stage.inMs(stage.random.integer(500, 3_000)));
      statuses.push((await stage.clients[project].create(input)).status);
      await sleep(20);
    }
  });
  try {
    await eventually(() => statuses.includes(201));
    await work(statuses);
  } finally {
    isOver = true;
    await Promise.all(creating);
  }
  expect(statuses.filter((status) => status !== 201 && status !== 503)).toEqual([]);
  return statuses;
}

/** Creates schedules until the promise settles; returns how many. The API must accept each of them. */
export async function createMeanwhile(stage: Stage, until: Promise<unknown>): Promise<number> {
  let isOver = false;
  const over = until.then(() => {
    isOver = true;
  });
  let created = 0;
  while (!isOver) {
    const project = stage.random.pick(['alpha', 'beta'] as const);
    const input = stage.webhook(project, stage.inMs(stage.random.integer(300, 4_000)));
    expect((await stage.clients[project].create(input)).status).toBe(201);
    created++;
    await sleep(stage.random.integer(5, 60));
  }
  await over;
  return created;
}

/** Waits until the API accepts another new schedule. */
export function seeAccepted(statuses: readonly number[]): Promise<boolean> {
  const before = statuses.length;
  return eventually(() => statuses.slice(before).includes(201), { withinMs: 40_000, what: 'a 201 again' });
}

export const hasArrived = (stage: Stage, { id }: Pick<Input, 'id'>) =>
  stage.receiver.log.some(({ scheduleKey }) => scheduleKey === id);

/** Waits until the runs of all these schedules have reached the receiver. */
export async function seeArrive(
  stage: Stage,
  inputs: readonly Input[],
  { withinMs = 60_000 } = {},
): Promise<void> {
  await eventually(() => inputs.every((input) => hasArrived(stage, input)), {
    withinMs,
    what: 'all deliveries',
  });
}

/** Creates a schedule and waits until it has fired. */
export async function seeFire(stage: Stage): Promise<void> {
  const input = stage.webhook('beta', stage.inMs(300), 'ok');
  expect((await stage.clients.beta.create(input)).status).toBe(201);
  await seeArrive(stage, [input]);
}

/**
 * Creates a schedule and waits until Redis holds its bell (the delayed job that wakes a worker when the schedule is
 * due).
 */
export async function seeBell(stage: Stage): Promise<void> {
  const input = stage.webhook('alpha', stage.inMs(10_000));
  await stage.clients.alpha.create(input);
  const ringAt = slotEnd(Date.parse((input.rule as { at: string }).at));
  await eventually(async () => (await readArmed(stage.installation)).has(ringAt), { what: 'a bell' });
}

/** Repeats an action at an interval until the time is up. */
export async function repeatFor(
  { forMs, everyMs }: { forMs: number; everyMs: number },
  act: () => unknown,
): Promise<void> {
  const endAt = performance.now() + forMs;
  while (performance.now() < endAt) {
    await act();
    await sleep(everyMs);
  }
}
