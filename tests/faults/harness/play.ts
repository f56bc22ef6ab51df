import { appendFile } from 'node:fs/promises';
import { releaseInstallation } from '@carillon/db';
import { eventually, type OwnServers, startOwnServers } from '@carillon/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { check, type Verdict } from '../checker.js';
import { IS_LONG, isChosen, RESULTS_FILE, SEEDS } from '../config.js';
import { Installation, type InstallationOptions } from './installation.js';
import { Random } from './random.js';
import { Stage } from './stage.js';

export interface Scenario {
  number: number;
  /** The fault that is injected. */
  fault: string;
  /** The condition that must hold in this scenario, in addition to the ten promises of docs/architecture.md. */
  holds: string;
  play(stage: Stage): Promise<void>;
}

/**
 * Defines a test for each scenario and seed. They run one after the other on one installation, and after each, the
 * checker verifies the ten promises of docs/architecture.md.
 */
export function playAll(
  name: string,
  scenarios: readonly Scenario[],
  start: () => Promise<OwnServers & Pick<InstallationOptions, 'redis'>> = startOwnServers,
  env: Record<string, string> = {},
): void {
  const chosen = scenarios.filter(({ number }) => isChosen(number));
  describe.runIf(chosen.length > 0)(name, { timeout: IS_LONG ? 1_200_000 : 240_000 }, () => {
    let servers: OwnServers;
    let installation: Installation;
    beforeAll(async () => {
      const { redis, ...own } = await start();
      servers = own;
      installation = await Installation.start(servers, { name: 'faults', redis, env: () => env });
    }, 120_000);
    afterAll(async () => {
      await installation?.stop();
      await servers?.stop();
    }, 60_000);

    for (const seed of SEEDS) {
      for (const scenario of chosen) {
        it(`fault ${scenario.number}, ${scenario.fault}: ${scenario.holds} (seed ${seed})`, async () => {
          await play(installation, scenario, seed);
        });
      }
    }
  });
}

const sizeOf = (seed: number) => (IS_LONG ? (seed === 1 ? 'full' : 'long') : 'short');

/**
 * Runs one scenario: cleans up the installation, plays the scenario, and expects that the checker finds no violation.
 */
export async function play(installation: Installation, scenario: Scenario, seed: number): Promise<void> {
  await restore(installation);
  const random = new Random(seed * 100 + scenario.number);
  const stage = await Stage.set(installation, random, sizeOf(seed));
  const startedAt = performance.now();
  const verdict = await scenario
    .play(stage)
    .finally(() => installation.restore())
    .then(() => check(installation, stage))
    .catch((error: Error) => ({
      ...NO_VERDICT,
      violations: [error.stack ?? error.message, ...installation.crashes()],
    }));
  await record(scenario, {
    seed,
    faults: stage.faults,
    tookMs: performance.now() - startedAt,
    ...verdict,
  });
  const again = `To play it again: FAULT_ONLY=${scenario.number} FAULT_SEEDS=${seed}`;
  expect(verdict.violations, again).toEqual([]);
}

/** The verdict of a scenario that failed before the checker ran. */
const NO_VERDICT: Verdict = {
  violations: [],
  named: 0,
  fired: 0,
  lost: 0,
  duplicated: 0,
  redelivered: 0,
  unknown: 0,
  recoveryMs: 0,
  lateness: { during: [], after: [] },
};

/** Repairs everything that an earlier scenario may have left broken, and waits until no run is open. */
async function restore(installation: Installation): Promise<void> {
  for (const { child, isRunning } of installation.workers) if (isRunning) child.kill('SIGCONT');
  await installation.restore();
  await releaseInstallation(installation.pool, {
    mode: 'by-policy',
    isAdopted: true,
    untilAt: null,
    actor: 'faults',
    now: null,
  });
  for (const client of Object.values(installation.clients)) {
    await client.cancelAll();
    client.acknowledged.length = 0;
  }
  await eventually(
    async () => {
      // A scenario that failed may have left deliveries that wait for their answer for minutes, and a retry of such a
      // delivery may only arrive now.
      for (const delivery of installation.receiver.held()) await delivery.answer(200);
      return (await installation.pool.query('select from carillon.leases')).rowCount === 0;
    },
    { what: 'the end of the runs of an earlier scenario' },
  );
  installation.crashes();
  installation.receiver.forget();
}

interface Result extends Verdict {
  seed: number;
  faults: number;
  tookMs: number;
}

/** Records the figures of a scenario, if the run is one of `pnpm faults`, which collects them. */
export async function record(
  { number, fault, holds }: Omit<Scenario, 'play'>,
  result: Result,
): Promise<void> {
  await append({ number, fault, holds, ...result });
}

/** Reports that a scenario can't run here, and why: as a line on standard error, and in the report of `pnpm faults`. */
export async function leaveOut({ number }: Pick<Scenario, 'number'>, reason: string): Promise<void> {
  process.stderr.write(`Scenario ${number} is left out: ${reason}.\n`);
  await append({ number, leftOut: reason });
}

async function append(line: object): Promise<void> {
  if (RESULTS_FILE !== undefined) await appendFile(RESULTS_FILE, `${JSON.stringify(line)}\n`);
}
