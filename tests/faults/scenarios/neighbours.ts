import { eventually, type TestProcess } from '@carillon/testkit';
import { expect } from 'vitest';
import { CLOCKS } from '../harness/installation.js';
import type { Scenario } from '../harness/play.js';
import type { Input, Stage } from '../harness/stage.js';

const POISONS = ['block', 'throwInTimer', 'rejectUnheard'] as const;

/** A schedule with a handler target and a single attempt. */
const handler = (stage: Stage, name: string, ms: number, payload: object = {}): Input => ({
  id: stage.id(name),
  rule: stage.inMs(ms),
  target: { type: 'handler', name },
  retry: { maxAttempts: 1 },
  payload,
});

/**
 * Restarts workers that have ended, as a process supervisor would do. `stop` first waits for workers that are about to
 * end.
 */
function supervise({ installation }: Stage): { stop(): Promise<void> } {
  let isOver = false;
  const watching = eventually(
    async () => {
      for (const [index, worker] of installation.workers.entries())
        if (!worker.isRunning) await installation.startWorker(index);
      return isOver && !installation.workers.some(isStopping);
    },
    { withinMs: 600_000, everyMs: 50 },
  );
  return {
    async stop() {
      isOver = true;
      await watching;
    },
  };
}

const isStopping = ({ lines }: TestProcess) => lines.some(({ msg }) => msg?.startsWith('Unhandled error'));

async function statusesOf({ installation }: Stage, inputs: readonly Input[]): Promise<string[]> {
  const { rows } = await installation.pool.query<{ status: string }>(
    `select r.status from carillon.schedules s join carillon.runs r on r.schedule_id = s.id where s.key = any($1)`,
    [inputs.map(({ id }) => id)],
  );
  return rows.map(({ status }) => status);
}

const isOpen = (status: string) => ['running', 'retrying', 'queued'].includes(status);

const poisoned: Scenario = {
  number: 30,
  fault: 'a handler blocks the event loop of its worker, throws in a timer, or leaves a rejection unhandled',
  holds: 'runs of other handlers all succeed, although each has only a single attempt',
  async play(stage) {
    const { clients, random } = stage;
    const supervisor = supervise(stage);
    try {
      const lastMs = stage.scaled({ short: 2_500, long: 4_000, full: 10_000 });
      const size = stage.scaled({ short: 60, long: 120, full: 500 });
      const innocent = Array.from({ length: size }, () =>
        handler(stage, 'neighbour', random.integer(300, lastMs)),
      );
      // A worker whose event loop is blocked no longer than this keeps its leases, and writes its heartbeat in time.
      const forMs = random.integer(500, CLOCKS.leaseMs / 3);
      const poisons = POISONS.map((poison) =>
        handler(stage, 'poison', random.integer(500, lastMs - 500), { poison, forMs }),
      );
      await clients.alpha.createMany([...innocent, ...poisons]);
      stage.inject(poisons.length);
      await eventually(
        async () => {
          const statuses = await statusesOf(stage, [...innocent, ...poisons]);
          return statuses.length === innocent.length + poisons.length && !statuses.some(isOpen);
        },
        { withinMs: 60_000, everyMs: 50, what: 'the end of all runs' },
      );
      stage.heal();
      const statuses = await statusesOf(stage, innocent);
      expect(statuses.filter((status) => status !== 'succeeded')).toEqual([]);
    } finally {
      await supervisor.stop();
    }
  },
};

export const neighbours = [poisoned];
