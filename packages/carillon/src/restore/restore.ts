import {
  holdInstallation,
  lostTimeOf,
  readClock,
  readInstallationState,
  releaseInstallation,
  surveyLostTime,
} from '@carillon/db';
import type { HoldCode, LostTimeOutcome, RestoreMode } from '@carillon/shared';
import type { Pool } from 'pg';

/**
 * If `hold` is not null, workers claim nothing until an operator decides by `carillon restore`. Each such decision
 * increases `generation`. Instants are RFC 3339.
 */
export interface RestoreState {
  generation: number;
  hold: { code: HoldCode; since: string; reason: string; lostFrom: string } | null;
}

interface Decision extends LostTimeOutcome {
  mode: RestoreMode;
  examples: (LostTimeOutcome & { project: string; schedule: string; firstAt: string })[];
}

export interface RestorePreview {
  state: RestoreState;
  schedules: number;
  openRuns: number;
  decisions: Decision[];
}

const iso = (at: number) => new Date(at).toISOString();
const ACTOR = 'carillon restore';

/**
 * For each mode of `carillon restore`, counts the overdue occurrences that the mode would run and those that it would
 * skip. Changes nothing.
 */
export async function previewRestore(
  pool: Pool,
  { modes, untilAt }: { modes: readonly RestoreMode[]; untilAt: number | null },
): Promise<RestorePreview> {
  const { generation, hold } = await readInstallationState(pool);
  const { nowAt } = await readClock(pool);
  const lost = { lostFromAt: hold?.lostFromAt ?? nowAt };
  const preview: RestorePreview = {
    state: {
      generation,
      hold: hold && {
        code: hold.code,
        since: iso(hold.heldAt),
        reason: hold.reason,
        lostFrom: iso(hold.lostFromAt),
      },
    },
    schedules: 0,
    openRuns: 0,
    decisions: [],
  };
  for (const mode of modes) {
    const lostTime = lostTimeOf(lost, { mode, untilAt: untilAt ?? nowAt });
    const { schedules, openRuns, run, skipped, examples } = await surveyLostTime(pool, {
      lostTime,
      now: nowAt,
    });
    const listed = examples.map((example) => ({ ...example, firstAt: iso(example.firstAt) }));
    Object.assign(preview, { schedules, openRuns });
    preview.decisions.push({ mode, run, skipped, examples: listed });
  }
  return preview;
}

export type RestoreRequest =
  | { kind: 'hold' }
  | { kind: 'release'; mode: RestoreMode; isAdopted: boolean; untilAt: number | null };

export interface RestoreResult {
  ok: boolean;
  message: string;
}

/**
 * Keeps the workers from claiming, or lets them claim again. In the second case, `mode` decides which occurrences of
 * the lost time (of which a restored Postgres knows nothing) are run and which are skipped.
 */
export async function restore(pool: Pool, request: RestoreRequest): Promise<RestoreResult> {
  if (request.kind === 'hold') return hold(pool);
  const { mode, isAdopted, untilAt } = request;
  const result = await releaseInstallation(pool, { mode, isAdopted, untilAt, actor: ACTOR, now: null });
  if (result.kind === 'not_held')
    return {
      ok: false,
      message:
        'Workers are not held, so there is nothing to decide. To decide about a restore that was not noticed, run `carillon restore --hold` first.',
    };
  if (result.kind === 'copy')
    return {
      ok: false,
      message:
        'This database looks like a copy of another installation. If it should fire, add --adopt; otherwise leave it held.',
    };
  const { generation, lostFromAt, lostUntilAt } = result;
  return {
    ok: true,
    message: `Released under generation ${generation}, --${mode} for occurrences from ${iso(lostFromAt)} to ${iso(lostUntilAt)}. Workers claim again within a sweep interval.`,
  };
}

async function hold(pool: Pool): Promise<RestoreResult> {
  const { generation } = await readInstallationState(pool);
  const isNew = await holdInstallation(pool, {
    code: 'held_by_operator',
    reason: 'an operator ran `carillon restore --hold`',
    actor: ACTOR,
    seenGeneration: generation,
    beforeAt: null,
    now: null,
  });
  return {
    ok: true,
    message: isNew
      ? 'Held: workers claim nothing, also those that start later. Runs in flight end as usual.'
      : 'Workers are held already, and stay held.',
  };
}
