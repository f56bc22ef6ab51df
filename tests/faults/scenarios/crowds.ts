import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@carillon/testkit';
import { expect } from 'vitest';
import type { Client } from '../harness/client.js';
import type { Scenario } from '../harness/play.js';
import type { Stage } from '../harness/stage.js';

const MOST_AT_ONCE = 5_000;

const herd: Scenario = {
  number: 15,
  fault: 'a herd due in one second, with a slow receiver',
  holds: "all of them once; another project's lateness is bounded",
  async play(stage) {
    const { random, clients, installation } = stage;
    // A hundred thousand take minutes on two cores: the long run has them once or twice, the short pass a taste.
    const size = stage.isLong ? (random.isLikely(0.05) ? 100_000 : 5_000) : 1_000;
    const dueAt = Date.now() + 3_000 + size / 2;
    const herd = Array.from({ length: size }, () =>
      stage.webhook('alpha', { at: new Date(dueAt + random.integer(0, 999)).toISOString() }, 'slow/20'),
    );
    for (let from = 0; from < size; from += MOST_AT_ONCE) {
      await clients.alpha.createMany(herd.slice(from, from + MOST_AT_ONCE));
    }
    stage.inject(size);
    const others = Array.from({ length: 40 }, () =>
      stage.webhook('beta', { at: new Date(dueAt + random.integer(0, 3_000)).toISOString() }),
    );
    await clients.beta.createMany(others);
    await eventually(async () => (await latenessOf(stage, 'alpha')).count === size, {
      withinMs: 30_000 + size * 10,
      everyMs: 200,
      what: 'the end of the herd',
    });
    stage.heal();
    const alpha = await latenessOf(stage, 'alpha');
    const beta = await latenessOf(stage, 'beta');
    expect(beta.count).toBe(others.length);
    // Whoever is behind the herd waits for all of it; whoever has a share of his own does not.
    expect(beta.worstMs).toBeLessThan(Math.max(alpha.worstMs, 5_000));
    expect(installation.workers.every(({ isRunning }) => isRunning)).toBe(true);
  },
};

async function latenessOf({ installation, mark }: Stage, project: string) {
  const { rows } = await installation.pool.query<{ count: number; worstMs: number }>(
    `select count(*)::int as count, coalesce(max(date_part('epoch', r.claimed_at - r.due_at)) * 1000, 0) as "worstMs"
     from runs r join projects p on p.id = r.project_id
     where r.schedule_id > $1 and p.key = $2 and r.status = 'succeeded'`,
    [mark.sinceId, project],
  );
  return rows[0] as (typeof rows)[number];
}

/** Asks for the same thing over and over; answers how long each took, and with what status. */
async function askRepeatedly(client: Client, isOver: () => boolean, pauseMs: number) {
  const answers: { status: number; tookMs: number }[] = [];
  while (!isOver()) {
    const startedAt = performance.now();
    const { status } = await client.ask('GET', '/v1/schedules?limit=1');
    answers.push({ status, tookMs: performance.now() - startedAt });
    await sleep(pauseMs);
  }
  return answers;
}

const p99 = (answers: { tookMs: number }[]) =>
  answers.map(({ tookMs }) => tookMs).sort((a, b) => a - b)[Math.floor(answers.length * 0.99)] ?? 0;

/** Below this, twice as long is a matter of what else the machine does. */
const UNNOTICEABLE_MS = 250;

const flood: Scenario = {
  number: 16,
  fault: 'a flood of requests with one key',
  holds: "429 for it, and hardly a difference in another key's p99",
  async play(stage) {
    const { clients, random, installation } = stage;
    const limit = 120;
    await installation.limitRequests('alpha', limit);
    const during = async (ms: number, ...work: ((isOver: () => boolean) => Promise<unknown>)[]) => {
      let isOver = false;
      const all = Promise.all(work.map((each) => each(() => isOver)));
      await sleep(ms);
      isOver = true;
      return all;
    };
    try {
      const [quiet] = await during(1_500, (isOver) => askRepeatedly(clients.beta, isOver, 5));
      const flooders = Array.from(
        { length: random.integer(4, 12) },
        () => (isOver: () => boolean) => askRepeatedly(clients.alpha, isOver, 0),
      );
      const [other, ...flooded] = await during(
        2_500,
        (isOver) => askRepeatedly(clients.beta, isOver, 5),
        ...flooders,
      );
      type Answers = Awaited<ReturnType<typeof askRepeatedly>>;
      const answers = (flooded as Answers[]).flat();
      stage.inject(answers.length);
      stage.heal();
      expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(2 * limit);
      expect(answers.some(({ status }) => status === 429)).toBe(true);
      expect((other as Answers).every(({ status }) => status === 200)).toBe(true);
      expect(p99(other as Answers)).toBeLessThan(Math.max(2 * p99(quiet as Answers), UNNOTICEABLE_MS));
    } finally {
      await installation.limitRequests('alpha', 600_000);
    }
  },
};

export const crowds = [herd, flood];
