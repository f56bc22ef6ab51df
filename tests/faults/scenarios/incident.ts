import type { Alert } from '@carillon/client';
import { eventually } from '@carillon/testkit';
import { expect } from 'vitest';
import {
  checkAttempts,
  checkFailures,
  checkFigures,
  checkLateness,
  checkLedger,
  type IncidentSpan,
} from '../checks/incident.js';
import { checkAlerts } from '../checks/incident-alerts.js';
import { type Entry, readFigures, readIncident } from '../checks/incident-facts.js';
import { receiveAlerts } from '../harness/alert-receiver.js';
import type { Scenario } from '../harness/play.js';
import type { Input, Stage } from '../harness/stage.js';
import { seeArrive } from '../harness/traffic.js';

const SIZES = {
  short: { schedules: 20, watched: 5, every: 'PT2S', downMs: 0 },
  long: { schedules: 100, watched: 20, every: 'PT5S', downMs: 20_000 },
  full: { schedules: 500, watched: 50, every: 'PT1M', downMs: 300_000 },
};
/** The number of times that the open circuit breaker must have deferred one run before the receiver comes back. */
const DEFERRALS_SEEN = 3;
const WITHIN = { withinMs: 400_000, everyMs: 200 };

/**
 * These reasons are ignored before and after the incident, because they look at the last minutes: an earlier scenario or
 * the incident itself may have caused them.
 */
const OF_LAST_MINUTES = ['drift_not_falling', 'dead_letters_rising'];

/** Reads the reasons of the status of the installation. The status must be `degraded` if there are any, else `ok`. */
const codesOf = async ({ installation }: Stage): Promise<string[]> => {
  const { body } = await installation.admin.ask('GET', '/v1/system');
  expect(body.status).toBe(body.reasons.length > 0 ? 'degraded' : 'ok');
  return body.reasons.map(({ code }: { code: string }) => code);
};
const lastingCodesOf = async (stage: Stage) =>
  (await codesOf(stage)).filter((code) => !OF_LAST_MINUTES.includes(code));

/** Reads the newest entries of the ledger of a schedule (its occurrences with their outcomes). */
async function ledgerOf({ clients }: Stage, id: string, limit = 50): Promise<Entry[]> {
  const { body } = await clients.alpha.ask('GET', `/v1/schedules/${id}/ledger?order=desc&limit=${limit}`);
  return body.items;
}

/**
 * Kills a worker during a delivery that the receiver holds back, and answers the second attempt. Returns the schedule
 * and the worker.
 */
async function loseWorker(stage: Stage): Promise<{ id: string; workerId: number }> {
  const { installation, clients, receiver } = stage;
  const held = stage.webhook('beta', stage.inMs(200), 'hold');
  await clients.beta.create(held);
  await eventually(() => receiver.to(`hold/${held.id}`)[0]);
  const victim = await installation.holderOf(held.id);
  const { rows } = await installation.pool.query<{ id: number }>(
    'select id from carillon.workers where pid = $1',
    [victim.pid],
  );
  await victim.end('SIGKILL');
  stage.inject();
  const again = await eventually(
    () => receiver.to(`hold/${held.id}`).find(({ attempt }) => attempt === 2),
    WITHIN,
  );
  await again.answer(200);
  return { id: held.id, workerId: rows[0]?.id ?? 0 };
}

/** Waits until the open circuit breaker has deferred a run of this schedule several times. */
function seeDeferred(stage: Stage, { id }: Input): Promise<Entry> {
  return eventually(
    async () =>
      (await ledgerOf(stage, id)).find(({ status, story }) =>
        story.some(
          ({ kind, reasonCode, count }) =>
            status === 'retrying' &&
            kind === 'deferred' &&
            reasonCode === 'circuit_open' &&
            count >= DEFERRALS_SEEN,
        ),
      ),
    { ...WITHIN, what: 'a run that an open circuit defers' },
  );
}

/** Waits until every run has ended that was due by `dueBy` (default: every run). */
function untilEnded({ installation, mark }: Stage, dueBy = Number.POSITIVE_INFINITY): Promise<unknown> {
  return eventually(async () => {
    const { rowCount } = await installation.pool.query(
      `select from carillon.runs
       where schedule_id > $1 and status in ('queued', 'running', 'retrying') and due_at <= to_timestamp($2::float8 / 1000)`,
      [mark.sinceId, dueBy],
    );
    return rowCount === 0;
  }, WITHIN);
}

/**
 * Gives schedules an objective that they do not meet during the outage, and their project an alert channel. Returns
 * functions that wait for the recoveries and for the messages about them, and one that closes the channel.
 */
async function watchObjectives({ clients: { alpha } }: Stage, inputs: Input[]) {
  for (const input of inputs) Object.assign(input, { slo: { endWithin: 'PT2S' } });
  const ids = inputs.map(({ id }) => id);
  const receiver = await receiveAlerts();
  const channel = `on-call-${Date.now()}`;
  await alpha.ask('POST', '/v1/alert-channels', { id: channel, type: 'webhook', url: receiver.url });
  const read = async (state: 'open' | 'resolved'): Promise<Alert[]> => {
    const { body } = await alpha.ask('GET', `/v1/alerts?limit=1000&state=${state}`);
    return body.items.filter(({ scheduleId }: Alert) => ids.includes(scheduleId));
  };
  const isTold = ({ id }: Alert) =>
    receiver.messages.some(({ resolved }) => resolved.some((told) => told.id === id));
  return {
    ids,
    untilRecovered: () => eventually(async () => (await read('open')).length === 0, WITHIN),
    async untilTold() {
      await eventually(async () => (await read('resolved')).every(isTold), WITHIN);
      return { alerts: await read('resolved'), messages: receiver.messages };
    },
    async close() {
      await alpha.ask('DELETE', `/v1/alert-channels/${channel}`);
      receiver.close();
    },
  };
}

export const incident: Scenario = {
  number: 31,
  fault:
    'a receiver is down for minutes, and meanwhile its circuit breaker opens, a schedule is paused, another is edited, and a worker is lost',
  holds: 'the ledger, lateness, status, alerts, logs and metrics report what happened',
  async play(stage) {
    const { installation, clients, receiver } = stage;
    const { schedules, watched, every, downMs } = stage.scaled(SIZES);
    const before = await readFigures(stage);
    const inputs = Array.from({ length: schedules }, () => stage.webhook('alpha', { every }));
    const [paused, edited] = inputs as [Input, Input];
    // These schedules have a single attempt, so the first run of each in the outage fails for good.
    const fragile = Array.from({ length: 5 }, () => ({
      ...stage.webhook('alpha', { every }),
      retry: { maxAttempts: 1 },
    }));
    const watch = await watchObjectives(stage, inputs.slice(-watched));
    await clients.alpha.createMany([...inputs, ...fragile]);
    // At full size the schedules fire once a minute, so their first occurrences are up to a minute away.
    await seeArrive(stage, [...inputs, ...fragile], WITHIN);
    expect(await lastingCodesOf(stage)).toEqual([]);

    receiver.down('alpha');
    stage.inject();
    const span: IncidentSpan = {
      downAt: Date.now(),
      upAt: 0,
      origin: new URL(receiver.url('alpha', '')).origin,
    };
    const endAt = performance.now() + downMs;
    try {
      // These runs fail for good before the circuit breaker opens, because it opens only after more failures than
      // these.
      for (const { id } of fragile) expect((await clients.alpha.act(id, 'trigger')).status).toBeLessThan(300);
      await eventually(async () => (await codesOf(stage)).includes('circuits_open'), WITHIN);
      const waiting = await seeDeferred(stage, paused);
      expect(waiting.why).toMatch(/^(not sent yet|began .* late): .*by an open circuit \(.* keeps failing/);
      expect(waiting.why).toContain(span.origin);
      expect((await clients.alpha.act(paused.id, 'pause', { note: 'incident 7' })).status).toBe(200);
      await seeDeferred(stage, edited);
      expect((await clients.alpha.edit(edited.id, { payload: { edited: true } })).status).toBe(200);
      const lost = await loseWorker(stage);
      await eventually(() => performance.now() >= endAt, { withinMs: downMs + 60_000 });
      span.lost = lost;
    } finally {
      await receiver.up('alpha');
      span.upAt = Date.now();
    }
    stage.heal();
    await installation.restore();
    await clients.alpha.act(paused.id, 'resume');
    await eventually(async () => (await lastingCodesOf(stage)).length === 0, WITHIN);
    await watch.untilRecovered();
    await untilEnded(stage, span.upAt);
    await clients.alpha.cancelAll();
    await untilEnded(stage);
    const after = await readIncident(stage);
    const audit = await clients.alpha.ask('GET', '/v1/audit/occurrences');
    expect(audit.body.items).toEqual([]);
    const { alerts, messages } = await watch.untilTold();
    const differences = [
      ...checkAlerts({ alerts, messages, ledgers: after.ledgers, watchedIds: watch.ids, span }),
      ...checkLedger(after, { ...span, pausedId: paused.id, editedId: edited.id }),
      ...checkAttempts(after),
      ...checkLateness(after, receiver.log),
      ...checkFailures(after, { span, lines: installation.workerLines() }),
    ];
    expect(differences.join('\n')).toBe('');
    // The metrics are complete only after the next heartbeat of each worker, which carries its counters.
    const differ = async () => checkFigures(after, { before, after: await readFigures(stage) }, span);
    await eventually(async () => (await differ()).length === 0, { everyMs: 500 }).catch(() => {});
    expect(await differ()).toEqual([]);
    await watch.close();
  },
};
