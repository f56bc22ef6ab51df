import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@carillon/testkit';
import { expect } from 'vitest';
import type { Client } from '../harness/client.js';
import type { Scenario } from '../harness/play.js';
import type { Stage } from '../harness/stage.js';

const MAX_HERD_SIZE = 5_000;

const herd: Scenario = {
  number: 15,
  fault: 'a herd of schedules is due within the same second, and their receiver is slow',
  holds: 'each schedule of the herd fires once, and runs of another project do not wait for the herd',
  async play(stage) {
    const { random, clients, installation } = stage;
    // 100,000 runs take minutes on two cores, so only the full size has that many.
    const size = stage.scaled({ short: 1_000, long: 5_000, full: 100_000 });
    const dueAt = Date.now() + 3_000 + size * 1.5;
    const herd = Array.from({ length: size }, () =>
      stage.webhook('alpha', { at: new Date(dueAt + random.integer(0, 999)).toISOString() }, 'slow/20'),
    );
    for (let from = 0; from < size; from += MAX_HERD_SIZE) {
      await clients.alpha.createMany(herd.slice(from, from + MAX_HERD_SIZE));
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
    // A run of the project with the many runs may wait for all of them. A run of another project must not, because each
    // project has its own share of the workers.
    expect(beta.worstMs).toBeLessThan(Math.max(alpha.worstMs, 5_000));
    expect(installation.workers.every(({ isRunning }) => isRunning)).toBe(true);
  },
};

async function latenessOf({ installation, mark }: Stage, project: string) {
  const { rows } = await installation.pool.query<{ count: number; worstMs: number }>(
    `select count(*)::int as count, coalesce(max(date_part('epoch', r.claimed_at - r.due_at)) * 1000, 0) as "worstMs"
     from carillon.runs r join carillon.projects p on p.id = r.project_id
     where r.schedule_id > $1 and p.key = $2 and r.status = 'succeeded'`,
    [mark.sinceId, project],
  );
  return rows[0] as (typeof rows)[number];
}

const REQUESTS_PER_MINUTE = 60;

/** Repeats a request as long as `isWanted` returns true, and returns the status codes. */
async function askRepeatedly(client: Client, isWanted: () => boolean, pauseMs: number): Promise<number[]> {
  const statuses: number[] = [];
  while (isWanted()) {
    statuses.push((await client.ask('GET', '/v1/schedules?limit=1')).status);
    await sleep(pauseMs);
  }
  return statuses;
}

const flood: Scenario = {
  number: 16,
  fault: 'a client floods the API with requests of one key',
  holds: 'that key gets 429, and every request with another key is answered',
  async play(stage) {
    const { clients, random, installation } = stage;
    await installation.limitRequests('alpha', REQUESTS_PER_MINUTE);
    try {
      let isOver = false;
      const flooders = Array.from({ length: random.integer(4, 12) }, () =>
        askRepeatedly(clients.alpha, () => !isOver, 0),
      );
      const other = askRepeatedly(clients.beta, () => !isOver, 5);
      await sleep(2_000);
      // The rate limit (a token bucket) lets the requests of a whole minute pass first, and a busy machine takes a
      // while to send that many.
      const isRefused = async () => (await clients.alpha.ask('GET', '/v1/schedules?limit=1')).status === 429;
      await eventually(isRefused, { withinMs: 60_000, what: 'a 429' }).finally(() => {
        isOver = true;
      });
      const flooded = (await Promise.all(flooders)).flat();
      stage.inject(flooded.length);
      stage.heal();
      const answered = await other;
      expect(answered.length).toBeGreaterThan(0);
      expect(answered.filter((status) => status !== 200)).toEqual([]);
    } finally {
      await installation.limitRequests('alpha', 600_000);
    }
  },
};

export const crowds = [herd, flood];
