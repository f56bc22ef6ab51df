import {
  type Database,
  type RunView,
  readDefinitions,
  readLiveHandlers,
  readScheduleChanges,
  readTzdataPeriods,
} from '@carillon/db';
import { explainRun, isZoned, type LedgerStep, storyOfRun } from '@carillon/shared';
import type { z } from 'zod';
import { presentStory } from '../present/story.js';
import { readSteps } from './read-steps.js';

/** Explains the outcome of one run: in a sentence (`why`), and as a list of what happened to the run (`story`). */
export async function composeRunStory(
  db: Database,
  projectId: number,
  { run, nowAt }: { run: RunView; nowAt: number },
): Promise<{ why: string; story: z.infer<typeof LedgerStep>[] }> {
  const { scheduleId, scheduleKey, version, recordedAt } = run;
  const runs = [run];
  // The queries run one after the other, because `db` may be a transaction. A run keeps the definition that was in
  // effect when it was recorded.
  const range = { projectId, scheduleId, fromAt: recordedAt - 1, toAt: nowAt };
  const definitions = await readDefinitions(db, range);
  const steps = await readSteps(db, { projectId, runs, nowAt });
  const changes = (await readScheduleChanges(db, { projectId, runs, nowAt })).get(scheduleKey) ?? [];
  const own = steps.of(run);
  const liveHandlers = await readLiveHandlers(db);
  const definition = definitions.find((each) => each.version === version);
  const tzdata = definition && isZoned(definition.timing) ? await readTzdataPeriods(db) : [];
  const story = storyOfRun({ run, ...own, changes: [...changes, ...own.changes], tzdata, nowAt });
  const plan = definition?.plan ?? null;
  return { why: explainRun(run, story, { plan, liveHandlers }), story: presentStory(story) };
}
