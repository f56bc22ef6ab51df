import { eventually, type TestProcess } from '@carillon/testkit';
import { expect } from 'vitest';
import type { Scenario } from '../harness/play.js';
import type { Delivery } from '../harness/receiver.js';
import type { Input, Stage } from '../harness/stage.js';

/**
 * Creates schedules whose requests the receiver does not answer until it is told to, and waits until all of these
 * requests have arrived.
 */
async function holdSome(stage: Stage, count: number): Promise<{ inputs: Input[]; first: Delivery[] }> {
  const { random, clients, receiver } = stage;
  const inputs = Array.from({ length: count }, () =>
    stage.webhook('alpha', stage.inMs(random.integer(100, 600)), 'hold'),
  );
  await clients.alpha.createMany(inputs);
  const first = await Promise.all(inputs.map(({ id }) => arrival(stage, id, 1)));
  expect(receiver.held().length).toBeGreaterThanOrEqual(count);
  return { inputs, first };
}

/** Waits until this attempt of the only run of a schedule reaches the receiver. */
function arrival({ receiver }: Stage, id: string, attempt: number): Promise<Delivery> {
  return eventually(() => receiver.to(`hold/${id}`).find((each) => each.attempt === attempt), {
    withinMs: 60_000,
    what: `attempt ${attempt} at ${id}`,
  });
}

async function outcomesOf({ installation }: Stage, id: string): Promise<string[]> {
  const { rows } = await installation.pool.query<{ outcome: string }>(
    `select a.outcome from carillon.run_attempts a join carillon.schedules s on s.id = a.schedule_id
     where s.key = $1 order by a.number`,
    [id],
  );
  return rows.map(({ outcome }) => outcome);
}

const succeeded = (stage: Stage, id: string) =>
  eventually(async () => (await outcomesOf(stage, id)).at(-1) === 'succeeded', { withinMs: 60_000 });

const killedInMidDelivery: Scenario = {
  number: 1,
  fault: 'a worker is killed during a delivery',
  holds: 'the run is tried again with the same id, and its first attempt is recorded as unknown',
  async play(stage) {
    await stage.load();
    const { inputs, first } = await holdSome(stage, stage.random.integer(1, 4));
    const victim = await stage.installation.holderOf(stage.random.pick(inputs).id);
    const holders = await Promise.all(inputs.map(({ id }) => stage.installation.holderOf(id)));
    await victim.end('SIGKILL');
    stage.inject();
    stage.heal();
    for (const [index, { id }] of inputs.entries()) {
      const before = first[index] as Delivery;
      if (holders[index] !== victim) {
        await before.answer(200);
        continue;
      }
      const again = await arrival(stage, id, 2);
      await again.answer(200);
      expect(again.runId).toBe(before.runId);
      await succeeded(stage, id);
      expect(await outcomesOf(stage, id)).toEqual(['unknown', 'succeeded']);
    }
  },
};

const killedBeforeRecording: Scenario = {
  number: 2,
  fault: 'a worker is killed after the receiver has answered 2xx and before the result is stored',
  holds: 'the receiver gets at most one duplicate, under the same id',
  async play(stage) {
    const { installation, receiver } = stage;
    const { inputs, first } = await holdSome(stage, stage.random.integer(1, 4));
    const holders = await Promise.all(inputs.map(({ id }) => installation.holderOf(id)));
    // From here on, nothing that a worker writes reaches Postgres, so the workers can't record the answers.
    installation.proxies.postgres.stall();
    for (const delivery of first) await delivery.answer(200);
    for (const victim of new Set(holders)) await victim.end('SIGKILL');
    stage.inject(new Set(holders).size);
    // Drop the bytes that the proxy holds back, so that they can't reach Postgres after the workers have died.
    installation.proxies.postgres.reset();
    installation.proxies.postgres.pass();
    stage.heal();
    await installation.restore();
    for (const { id } of inputs) {
      const again = await arrival(stage, id, 2);
      await again.answer(200);
      await succeeded(stage, id);
      const seen = receiver.to(`hold/${id}`);
      expect(seen.length).toBe(2);
      expect(new Set(seen.map(({ runId }) => runId)).size).toBe(1);
    }
  },
};

/** The keys of the schedules whose runs each worker has in flight, by the pid of the worker. */
async function heldBy({ installation }: Stage, inputs: readonly Input[]): Promise<Map<number, string[]>> {
  const { rows } = await installation.pool.query<{ pid: number; keys: string[] }>(
    `select w.pid, array_agg(s.key) as keys from carillon.runs r
     join carillon.schedules s on s.id = r.schedule_id join carillon.workers w on w.id = r.worker_id
     where s.key = any($1) and r.status = 'running' group by w.pid`,
    [inputs.map(({ id }) => id)],
  );
  return new Map(rows.map(({ pid, keys }) => [pid, keys]));
}

/**
 * True if this worker has begun attempt 1 of a schedule's run. Attempt 2 does not count: if attempt 1 was handed back
 * before it began, the same worker may claim the run again.
 */
const hasBegunIn = ({ lines }: TestProcess, key: string) =>
  lines.some(
    ({ msg, scheduleId, attempt }) => msg === 'in-turn has begun' && scheduleId === key && attempt === 1,
  );

/**
 * Waits until a worker has several of these runs in flight at once; returns null if all of them have ended before that.
 */
async function seeWaiting(stage: Stage, inputs: readonly Input[]) {
  return eventually(
    async () => {
      const held = await heldBy(stage, inputs);
      const victim = stage.installation.workers.find(({ pid }) => (held.get(pid)?.length ?? 0) > 1);
      if (victim) return { claimed: { victim, keys: held.get(victim.pid) as string[] } };
      const ended = await Promise.all(inputs.map(({ id }) => outcomesOf(stage, id)));
      return ended.every((list) => list.at(-1) === 'succeeded') && { claimed: null };
    },
    { withinMs: 60_000, everyMs: 5 },
  ).then(({ claimed }) => claimed);
}

/**
 * Freezes a worker that has claimed several runs of a handler and runs only one of them at a time. Lets it continue
 * after other workers have rescued these runs. Each run has a single attempt, which must not be lost if it had not
 * begun.
 */
async function freezeBeforeDelivery(stage: Stage): Promise<void> {
  const { installation, random, clients } = stage;
  // The runs of a batch may end before the scenario sees that a worker has several of them. So the scenario creates
  // batches until it sees such a worker.
  const { victim, keys } = await eventually(
    async () => {
      const at = stage.inMs(random.integer(300, 800));
      const inputs = Array.from({ length: 4 }, () => ({
        ...stage.webhook('alpha', at, 'ok'),
        target: { type: 'handler' as const, name: 'in-turn' },
        retry: { maxAttempts: 1 },
      }));
      await clients.alpha.createMany(inputs);
      return seeWaiting(stage, inputs);
    },
    { withinMs: 60_000, what: 'a worker with runs that wait for their turn' },
  );
  victim.child.kill('SIGSTOP');
  stage.inject();
  const statusesOf = async () =>
    (
      await installation.pool.query<{ status: string }>(
        `select r.status from carillon.runs r join carillon.schedules s on s.id = r.schedule_id where s.key = any($1)`,
        [keys],
      )
    ).rows.map(({ status }) => status);
  await eventually(async () => !(await statusesOf()).includes('running'), {
    withinMs: 60_000,
    what: 'the rescue of the runs',
  });
  victim.child.kill('SIGCONT');
  stage.heal();
  const unbegun = () => keys.filter((key) => !hasBegunIn(victim, key));
  await eventually(
    async () => {
      const outcomes = await Promise.all(unbegun().map((key) => outcomesOf(stage, key)));
      return outcomes.every((list) => list.at(-1) === 'succeeded');
    },
    { withinMs: 60_000, what: 'the success of every run whose delivery had not begun' },
  );
  expect(unbegun().length).toBeGreaterThan(0);
}

const stoppedForLonger: Scenario = {
  number: 3,
  fault: 'a worker is frozen by SIGSTOP for longer than its lease, and then continues',
  holds:
    'the late write of that worker is refused, and a run that it had claimed but not begun does not lose its single attempt',
  async play(stage) {
    await stage.load({ seconds: 3 });
    const { inputs, first } = await holdSome(stage, 1);
    const { id } = inputs[0] as Input;
    const victim = await stage.installation.holderOf(id);
    victim.child.kill('SIGSTOP');
    stage.inject();
    // Once attempt 2 has arrived, another worker has the run, and the frozen worker must not close it any more.
    const again = await arrival(stage, id, 2);
    await first[0]?.answer(200);
    victim.child.kill('SIGCONT');
    stage.heal();
    await eventually(
      () => victim.lines.some(({ msg }) => /^(Late writes refused|Lease lost)/.test(msg ?? '')),
      {
        withinMs: 30_000,
        what: 'the refusal of the late write',
      },
    );
    await again.answer(200);
    await succeeded(stage, id);
    expect(await outcomesOf(stage, id)).toEqual(['unknown', 'succeeded']);
    await freezeBeforeDelivery(stage);
  },
};

export const lostWorkers = [killedInMidDelivery, killedBeforeRecording, stoppedForLonger];
