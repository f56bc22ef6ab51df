import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, TcpProxy, type TestProcess } from '@carillon/testkit';
import { expect } from 'vitest';
import { CLOCKS } from '../harness/installation.js';
import type { Scenario } from '../harness/play.js';
import type { Input, Stage } from '../harness/stage.js';
import { createThroughout, hasArrived, seeAccepted, seeArrive, seeFire } from '../harness/traffic.js';

/** Replaces a worker with one that reaches Postgres through a proxy of its own. */
async function startWatched(stage: Stage): Promise<{ victim: TestProcess; proxy: TcpProxy }> {
  const { installation, random } = stage;
  const index = random.integer(0, 2);
  await installation.workers[index]?.end();
  const proxy = await TcpProxy.before(installation.servers.databaseUrl);
  const env = {
    DATABASE_URL: proxy.url(installation.databaseUrl),
    // The scenario recognises a claim by the name of its prepared statement. PgBouncer, which would need prepared
    // statements off, is not on the way of this worker.
    DATABASE_PREPARED_STATEMENTS: 'on',
  };
  return { victim: await installation.startWorker(index, { env }), proxy };
}

/**
 * Creates batches of schedules until the watched worker has locked the due schedules of one batch, and freezes the
 * worker (SIGSTOP) at that moment. Returns the schedules of this batch that are not delivered yet.
 */
async function freezeInMidClaim(
  stage: Stage,
  { victim, proxy }: { victim: TestProcess; proxy: TcpProxy },
): Promise<[Input, ...Input[]]> {
  const { random, clients } = stage;
  let isFrozen = false;
  proxy.watch({
    question: Buffer.from('lock-due\0'),
    answer: Buffer.from(`freeze-${random.seed}-`),
    onAnswer() {
      victim.child.kill('SIGSTOP');
      isFrozen = true;
    },
  });
  // Any of the three workers may claim a batch first, so the test creates batches until the watched worker claims one.
  return eventually(
    async () => {
      const batch = Array.from({ length: random.integer(5, 15) }, () => ({
        ...stage.webhook('alpha', stage.inMs(random.integer(150, 300))),
        id: stage.id('freeze'),
      }));
      await clients.alpha.createMany(batch);
      await eventually(() => isFrozen || batch.every((input) => hasArrived(stage, input)), {
        withinMs: 60_000,
      });
      const [first, ...rest] = batch.filter((input) => !hasArrived(stage, input));
      return isFrozen && first && [first, ...rest];
    },
    { withinMs: 120_000, what: 'a claim by the watched worker' },
  );
}

const frozenInMidClaim: Scenario = {
  number: 19,
  fault:
    'a worker is frozen by SIGSTOP in a claim, after it has locked due schedules and before it starts their runs',
  holds:
    'while the worker is frozen, other workers fire these schedules, and the API answers a pause of one of them',
  async play(stage) {
    const watched = await startWatched(stage);
    const { victim, proxy } = watched;
    try {
      await stage.load({ seconds: 4, size: 10 });
      stage.inject();
      const [paused, ...others] = await freezeInMidClaim(stage, watched);
      const { status } = await stage.clients.alpha.act(paused.id, 'pause');
      expect([200, 409]).toContain(status);
      // 409 means that the schedule had fired already: another worker claimed it before the pause.
      await seeArrive(stage, status === 409 ? [paused, ...others] : others);
      await seeFire(stage);
      victim.child.kill('SIGCONT');
      stage.heal();
      await eventually(() => victim.lines.some(({ msg }) => msg?.startsWith('Postgres is away')), {
        what: 'the end of the interrupted claim',
      });
    } finally {
      victim.child.kill('SIGCONT');
      await victim.end();
      await proxy.close();
    }
  },
};

const silent: Scenario = {
  number: 20,
  fault:
    'Postgres falls silent for longer than the lease of a worker: packets are dropped both ways, connections stay open',
  holds: 'the API accepts creates again by itself, and each run that was due meanwhile fires once',
  async play(stage) {
    const { postgres, apiPostgres } = stage.installation.proxies;
    const { random } = stage;
    await stage.load({ seconds: 5 });
    await createThroughout(stage, async (statuses) => {
      postgres.silence();
      if (random.isLikely(0.7)) apiPostgres.silence();
      stage.inject();
      const beyondLeaseMs = stage.scaled({ short: 500, long: random.integer(500, 4_000), full: 30_000 });
      await sleep(CLOCKS.leaseMs + beyondLeaseMs);
      postgres.pass();
      apiPostgres.pass();
      stage.heal();
      await seeAccepted(statuses);
    });
    await seeFire(stage);
  },
};

export const silentPostgres = [frozenInMidClaim, silent];
