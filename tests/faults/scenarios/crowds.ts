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
    // A hundred thousand take minutes on two cores.
    const size = stage.scaled({ short: 1_000, long: 5_000, full: 100_000 });
    const dueAt = Date.now() + 3_000 + size * 1.5;
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
    const hasPassed = async () =>
      (await latenessOf(stage, 'alpha')).count === size &&
      (await latenessOf(stage, 'beta')).count === others.length;
    await eventually(hasPassed, {
      withinMs: 30_000 + size * 10,
      everyMs: 200,
      what: 'the end of the herd',
    });
    stage.heal();
    const alpha = await latenessOf(stage, 'alpha');
    const beta = await latenessOf(stage, 'beta');
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

interface Asked {
  status: number;
  tookMs: number;
}

/** Asks for the same thing over and over, as long as it is wanted. */
async function askRepeatedly(client: Client, isWanted: () => boolean, pauseMs: number): Promise<Asked[]> {
  const asked: Asked[] = [];
  while (isWanted()) {
    const startedAt = performance.now();
    const { status } = await client.ask('GET', '/v1/schedules?limit=1');
    asked.push({ status, tookMs: performance.now() - startedAt });
    await sleep(pauseMs);
  }
  return asked;
}

const p99 = (asked: readonly Asked[]) =>
  asked.map(({ tookMs }) => tookMs).sort((a, b) => a - b)[Math.floor(asked.length * 0.99)] ?? 0;

/** Below this, twice as long is a matter of what else the machine does. */
const UNNOTICEABLE_MS = 500;
const LIMIT = 60;

const flood: Scenario = {
  number: 16,
  fault: 'a flood of requests with one key',
  holds: "429 for it, and hardly a difference in another key's p99",
  async play(stage) {
    const { clients, random, installation } = stage;
    await installation.limitRequests('alpha', LIMIT);
    try {
      const quietUntil = performance.now() + 1_500;
      const quiet = await askRepeatedly(clients.beta, () => performance.now() < quietUntil, 5);
      let isOver = false;
      const flooders = Array.from({ length: random.integer(4, 12) }, () =>
        askRepeatedly(clients.alpha, () => !isOver, 0),
      );
      const other = askRepeatedly(clients.beta, () => !isOver, 5);
      await sleep(2_000);
      // The bucket holds a minute's worth, which a busy machine takes a while to spend.
      const isRefused = async () => (await clients.alpha.ask('GET', '/v1/schedules?limit=1')).status === 429;
      await eventually(isRefused, { withinMs: 60_000, what: 'a 429' }).finally(() => {
        isOver = true;
      });
      const flooded = (await Promise.all(flooders)).flat();
      stage.inject(flooded.length);
      stage.heal();
      expect((await other).filter(({ status }) => status !== 200)).toEqual([]);
      expect(p99(await other)).toBeLessThan(Math.max(2 * p99(quiet), UNNOTICEABLE_MS));
    } finally {
      await installation.limitRequests('alpha', 600_000);
    }
  },
};

export const crowds = [herd, flood];
