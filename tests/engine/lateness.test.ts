import { LATENESS_BOUNDS_MS } from '@carillon/shared';
import {
  ADMIN_KEY,
  eventually,
  type TestApi,
  useDatabase,
  useProcesses,
  useReceiver,
} from '@carillon/testkit';
import { beforeAll, expect, it } from 'vitest';

const database = useDatabase();
const processes = useProcesses(database);
const receiver = useReceiver();
let api: TestApi;

beforeAll(async () => {
  api = await processes.api();
  await processes.worker();
}, 120_000);

// biome-ignore lint/suspicious/noExplicitAny: the test looks at single fields of the responses.
async function ask(method: string, path: string, body?: object): Promise<any> {
  const response = await fetch(`${api.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return response.json();
}

interface SeenRun {
  id: string;
  status: string;
  dueAt: string;
  latenessMs: number;
  attempts: { startedAt: string }[];
  story: { kind: string; attempt: number | null; at: string; until: string }[];
}

const readRuns = async (): Promise<SeenRun[]> => {
  const { items } = await ask('GET', '/v1/runs?limit=100');
  return Promise.all(items.map(({ id }: { id: string }) => ask('GET', `/v1/runs/${id}`)));
};

/** The upper bound of the histogram bucket in which a quantile lies. */
function quantile(values: readonly number[], share: number): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.ceil(sorted.length * share) - 1] as number;
  return LATENESS_BOUNDS_MS.find((bound) => value <= bound);
}

/** Reads the lateness figures from every endpoint that shows them. */
async function figures() {
  const { windows } = await ask('GET', '/v1/system');
  const text = await (await fetch(`${api.url}/metrics`)).text();
  const counted = Number(/^carillon_lateness_seconds_count (\d+)/m.exec(text)?.[1]);
  const sum = Number(/^carillon_lateness_seconds_sum ([\d.]+)/m.exec(text)?.[1]);
  const { total } = await ask('GET', '/v1/stats');
  return {
    hour: windows.hour,
    day: windows.day,
    counted,
    sum,
    stats: total.lateness,
  };
}

/**
 * A worker estimates the clock of Postgres, and the receiver uses the clock of the machine. They may differ by this
 * much.
 */
const CLOCK_ERROR_MS = 250;

it('latenessMs, /v1/system, /v1/stats and carillon_lateness_seconds show the lateness that the receiver measured, once per run', async () => {
  await ask('PATCH', '/v1/projects/default', { limits: { deliveriesPerSecond: 4 } });
  const at = new Date(Date.now() + 1_000).toISOString();
  const retry = { maxAttempts: 3, baseDelay: 'PT0.2S', jitter: false };
  const items = Array.from({ length: 16 }, (_, n) => ({
    id: `late-${n}`,
    rule: { at },
    // The first attempt of every fourth run fails, and the run is retried.
    target: { type: 'webhook', url: receiver.url(n % 4 === 0 ? `flaky/1/${n}` : `status/200/${n}`) },
    retry,
  }));
  await ask('POST', '/v1/schedules/bulk', { items });
  const runs = await eventually(
    async () => {
      const views = await readRuns();
      return views.length === 16 && views.every(({ status }) => status === 'succeeded') ? views : null;
    },
    { withinMs: 60_000 },
  );

  for (const run of runs) {
    const sentAt = Date.parse(run.dueAt) + run.latenessMs;
    const [first] = receiver.received.filter(({ headers }) => headers['webhook-id'] === run.id);
    // The first byte left after the claim of the first attempt and before the receiver saw the request.
    expect(sentAt).toBeGreaterThanOrEqual(Date.parse(run.attempts[0]?.startedAt ?? '') - CLOCK_ERROR_MS);
    expect(sentAt).toBeLessThanOrEqual((first?.at ?? 0) + CLOCK_ERROR_MS);
    // A deferral of the first attempt is part of the lateness.
    for (const { kind, attempt, until } of run.story)
      if (kind === 'deferred' && attempt === 1)
        expect(sentAt).toBeGreaterThanOrEqual(Date.parse(until) - CLOCK_ERROR_MS);
  }
  // A deferral of a retry is not part of the lateness, so only deferrals of first attempts count here.
  const deferred = runs.filter(({ story }) =>
    story.some(({ kind, attempt }) => kind === 'deferred' && attempt === 1),
  );
  expect(deferred.length).toBeGreaterThan(0);
  expect(runs.filter(({ attempts }) => attempts.length > 1)).toHaveLength(4);

  const lateness = runs.map(({ latenessMs }) => latenessMs);
  const expected = { count: 16, p50Ms: quantile(lateness, 0.5), p99Ms: quantile(lateness, 0.99) };
  // Workers report their counters with their heartbeats.
  const shown = await eventually(async () => {
    const now = await figures();
    return now.counted === 16 && now.hour.lateness.count === 16 ? now : null;
  });
  for (const window of [shown.hour, shown.day]) expect(window.lateness).toEqual(expected);
  expect(shown.stats).toEqual(expected);
  expect(shown.sum * 1_000).toBeCloseTo(
    lateness.reduce((sum, each) => sum + each, 0),
    3,
  );
  expect(shown.hour.waits.backlog.count).toBe(16);
  expect(shown.hour.waits.deferral.count).toBe(deferred.length);
  // These runs began at their due time, so none of them waited for its turn.
  expect(shown.hour.waits.queue.count).toBe(0);

  // A replay neither changes the lateness of its run nor counts again.
  const [replayed] = runs as [SeenRun];
  await ask('POST', `/v1/runs/${replayed.id}/replay`);
  const again = await eventually(async () => {
    const run = await ask('GET', `/v1/runs/${replayed.id}`);
    return run.status === 'succeeded' && run.replays === 1 ? run : null;
  });
  expect(again.latenessMs).toBe(replayed.latenessMs);
  const attemptsReported = async () => {
    const text = await (await fetch(`${api.url}/metrics`)).text();
    return Number(/^carillon_attempts_total\{outcome="succeeded"\} (\d+)/m.exec(text)?.[1]) === 17;
  };
  await eventually(attemptsReported);
  expect((await figures()).counted).toBe(16);
}, 120_000);

it('the time for which triggered runs of a schedule wait for their turn is counted in waits.queue and carillon_queue_wait_seconds', async () => {
  const target = { type: 'webhook', url: receiver.url('slow/500') };
  await ask('POST', '/v1/schedules', { id: 'queued', rule: { cron: '0 0 1 1 *' }, overlap: 'queue', target });
  for (let n = 0; n < 2; n++) await ask('POST', '/v1/schedules/queued/trigger');
  const waited = await eventually(async () => {
    const { rows } = await database.pool.query<{ ms: number }>(
      `select extract(epoch from r.claimed_at - r.recorded_at)::float8 * 1000 as ms
       from carillon.runs r join carillon.schedules s on s.id = r.schedule_id
       where s.key = 'queued' and r.status = 'succeeded' order by r.claimed_at`,
    );
    return rows.length === 2 ? rows.map(({ ms }) => ms) : null;
  });
  // The second run waits while the receiver takes half a second for the first one.
  expect(waited[1]).toBeGreaterThan(400);
  const shown = await eventually(async () => {
    const { hour } = await figures();
    return hour.waits.queue.count === 2 ? hour.waits.queue : null;
  });
  expect(shown).toEqual({ count: 2, p50Ms: quantile(waited, 0.5), p99Ms: quantile(waited, 0.99) });
  const text = await (await fetch(`${api.url}/metrics`)).text();
  expect(text).toMatch(/^carillon_queue_wait_seconds_count 2$/m);
  const sum = Number(/^carillon_queue_wait_seconds_sum ([\d.]+)/m.exec(text)?.[1]);
  expect(sum * 1_000).toBeCloseTo(
    waited.reduce((sum, each) => sum + each, 0),
    0,
  );
});
