import { type ClaimedRun, readWatermark } from '@carillon/db';
import { insertSchedules, useDatabase, useEngine } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import type { CarillonEvent } from '../src/events/event.js';
import { EventReader } from '../src/events/event-reader.js';

const database = useDatabase();
const engine = useEngine(database);
/** More runs than one poll reads. */
const MANY = 6_000;

/**
 * Starts a reader that reports everything from now on. `start` is the epoch (number of a lease) that a claim at this
 * moment would get.
 */
async function openReader() {
  const watermark = await readWatermark(database.pool, database.projectId);
  const reader = new EventReader(database.pool, database.projectId, watermark, () => Date.now());
  return { reader: await reader.start(), start: watermark.epoch };
}

/** Inserts ended runs of a new schedule. `epoch` is SQL, with the number of the run as `n`. */
async function insertRuns(
  count: number,
  { status = 'succeeded', epoch = 'null' }: { status?: 'succeeded' | 'skipped'; epoch?: string },
): Promise<void> {
  const [id] = await insertSchedules(database, [{ rule: { cron: '0 0 1 1 *' } }]);
  await database.pool.query(
    `insert into carillon.runs (schedule_id, project_id, occurrence_at, origin, month, version, status, epoch, due_at, recorded_at,
                                claimed_at, happened_at, finished_at, attempt, outcome, reason_code)
     select $1, 1, timestamptz '2026-01-01' + n * interval '1 s', 'rule', date_trunc('month', now() at time zone 'UTC'), 1,
            $2::carillon.run_status, ${epoch}, now(), now(), now(), now(), now(),
            case $2 when 'succeeded' then 1 else 0 end, case $2 when 'succeeded' then 'succeeded'::carillon.attempt_outcome end,
            case $2 when 'skipped' then 'overlap' end
     from generate_series(1, $3) as n`,
    [id, status, count],
  );
}

/** The events of runs since the last poll, without those of schedules. */
const readRunEvents = async (reader: EventReader) =>
  (await reader.poll()).filter(({ type }) => type.startsWith('run.'));
const namesOf = (events: readonly CarillonEvent[]) => events.map(({ type }) => type);
const idsOf = (events: readonly CarillonEvent[], type: string) =>
  events.flatMap((event) => (event.type === type ? [event.data.id] : []));

/** Polls until a poll finds nothing new. */
async function pollAll(reader: EventReader): Promise<CarillonEvent[][]> {
  const polls: CarillonEvent[][] = [];
  for (;;) {
    const events = await reader.poll();
    if (events.length === 0) return polls;
    polls.push(events);
  }
}

describe('EventReader', () => {
  it('if more runs have finished than one poll reads, the event reader reports each of them once', async () => {
    const { reader, start } = await openReader();
    await insertRuns(MANY, { epoch: `${start + 1} + n / 100` });
    const polls = await pollAll(reader);
    expect(polls.length).toBeGreaterThan(1);
    const ended = polls.flatMap((events) => idsOf(events, 'run.succeeded'));
    expect(ended).toHaveLength(MANY);
    expect(new Set(ended).size).toBe(MANY);
  });

  it('the event reader also reports runs whose claim commits after a claim with a greater epoch (number of a lease)', async () => {
    const { reader, start } = await openReader();
    await insertRuns(1, { epoch: `${start + 20}` });
    const first = await readRunEvents(reader);
    await insertRuns(1, { epoch: `${start + 10}` });
    const late = await readRunEvents(reader);
    expect(namesOf(first)).toEqual(['run.started', 'run.succeeded']);
    expect(namesOf(late)).toEqual(['run.started', 'run.succeeded']);
    expect(late[0]?.data.runId).not.toBe(first[0]?.data.runId);
    expect(await readRunEvents(reader)).toEqual([]);
  });

  it('the event reader reports the end, but not the start, of a run that was in flight when the reader started', async () => {
    const at = Date.now();
    await insertSchedules(database, [{ rule: { at: new Date(at).toISOString() } }], { nowAt: at });
    const [run] = await engine.claim(at);
    const { reader } = await openReader();
    expect(await readRunEvents(reader)).toEqual([]);
    await engine.succeed(run as ClaimedRun, Date.now());
    expect(namesOf(await readRunEvents(reader))).toEqual(['run.succeeded']);
  });

  it('if more runs are skipped at one instant than one poll reads, the event reader reports each of them once', async () => {
    const { reader } = await openReader();
    await insertRuns(MANY, { status: 'skipped' });
    const polls = await pollAll(reader);
    expect(polls.length).toBeGreaterThan(1);
    const skipped = polls.flatMap((events) => idsOf(events, 'run.skipped'));
    expect(skipped).toHaveLength(MANY);
    expect(new Set(skipped).size).toBe(MANY);
  });
});
