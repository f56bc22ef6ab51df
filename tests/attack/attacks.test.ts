import { appendFileSync } from 'node:fs';
import { eventually } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { ATTACKS, type Attack } from './attacks.js';
import { Stage, useInstallation } from './stage.js';

// The attacks are small by default. `pnpm attack` sets both variables for large attacks, and writes the table of
// docs/security.md.
const { ATTACK_RESULTS: resultsFile, ATTACK_SCALE: scaleName } = process.env;
const isLarge = scaleName === 'large';
const scale = { isLarge, watchedRuns: isLarge ? 300 : 10 };
const RUNS_PER_SECOND = 20;

interface Seen {
  succeeded: number;
  latenessMs: number[];
  apiMs: number[];
  apiStatuses: number[];
  mostPlacesOfAttacker: number;
}

/**
 * Makes the project that is not the attacker run schedules and call the API until all its runs have ended. Returns how
 * these runs and calls went.
 */
async function watchOther(stage: Stage, name: string): Promise<Seen> {
  const seen: Seen = { succeeded: 0, latenessMs: [], apiMs: [], apiStatuses: [], mostPlacesOfAttacker: 0 };
  const keys = Array.from({ length: scale.watchedRuns }, (_, i) => `${name}-${i}`);
  const startAt = Date.now() + 1_000;
  const items = keys.map((id, i) => ({
    id,
    rule: { at: new Date(startAt + (i * 1_000) / RUNS_PER_SECOND).toISOString() },
    target: { type: 'webhook', url: `${stage.receivers.origins[0]}/ok/${id}` },
    onSuccess: `${stage.receivers.origins[1]}/ok/receipt`,
  }));
  const { status } = await stage.ask('POST', '/v1/schedules/bulk', { items });
  expect(status).toBe(200);
  await eventually(
    async () => {
      const { status, tookMs } = await stage.ask('GET', '/v1/schedules?limit=10');
      seen.apiMs.push(tookMs);
      seen.apiStatuses.push(status);
      seen.mostPlacesOfAttacker = Math.max(seen.mostPlacesOfAttacker, await stage.inFlightOf('attacker'));
      const { rows } = await stage.database.pool.query<{ status: string; latenessMs: number }>(
        `select r.status, r.lateness_ms as "latenessMs" from carillon.runs r join carillon.schedules s on s.id = r.schedule_id
           join carillon.projects p on p.id = r.project_id
         where p.key = $2 and s.key = any($1) and r.finished_at is not null and r.next_attempt_at is null`,
        [keys, stage.projects.other],
      );
      if (rows.length < keys.length) return false;
      seen.succeeded = rows.filter((row) => row.status === 'succeeded').length;
      seen.latenessMs = rows.map((row) => row.latenessMs);
      return true;
    },
    { withinMs: isLarge ? 180_000 : 60_000, everyMs: 50, what: 'the end of the other project’s runs' },
  );
  return seen;
}

const percentile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

function record(
  name: string,
  { succeeded, latenessMs, apiMs, apiStatuses, mostPlacesOfAttacker }: Seen,
): void {
  if (!resultsFile) return;
  const line = {
    name,
    runs: scale.watchedRuns,
    succeeded,
    lateP50: percentile(latenessMs, 0.5),
    lateP99: percentile(latenessMs, 0.99),
    apiP99: Math.round(percentile(apiMs, 0.99)),
    apiRefused: apiStatuses.filter((status) => status !== 200).length,
    mostPlacesOfAttacker,
  };
  appendFileSync(resultsFile, `${JSON.stringify(line)}\n`);
}

async function playAttack(stage: Stage, { name, begin }: Pick<Attack, 'name' | 'begin'>): Promise<void> {
  try {
    const end = await begin(stage);
    const hangingBefore = stage.receivers.hanging;
    const seen = await watchOther(stage, 'watched').finally(end);
    // Requests that hung when the attack began must still hang now. Otherwise the attack ended too early.
    if (hangingBefore > 0) expect(stage.receivers.hanging).toBeGreaterThan(0);
    record(name, seen);
    expect(seen.succeeded).toBe(scale.watchedRuns);
    expect(new Set(seen.apiStatuses)).toEqual(new Set([200]));
  } finally {
    stage.close();
  }
}

const withoutAttack = { name: 'no attack', isLasting: false, begin: async () => () => {} };
const attacks = [...(isLarge ? [withoutAttack] : []), ...ATTACKS];
// True if the attack needs an installation of its own. A large attack does too, because its figures must not depend on
// the attack before it.
const needsOwn = ({ isLasting }: Attack) => isLarge || isLasting;
const groups = [
  ...attacks.filter(needsOwn).map((attack) => [attack]),
  attacks.filter((attack) => !needsOwn(attack)),
].filter((group) => group.length > 0);

describe('Attacks of one project on another', () => {
  for (const group of groups) {
    describe(`on one installation: ${group.map(({ name }) => name).join('; ')}`, () => {
      const installation = useInstallation(scale);

      for (const attack of group)
        it(`while one project attacks with ${attack.name}, every run and request of another project succeeds`, async () => {
          await playAttack(await Stage.open(installation(), scale), attack);
        }, 300_000);
    });
  }
});
