import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, open, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, type OwnServers, startOwnServers, testServers } from '@carillon/testkit';
import { afterAll, expect, it } from 'vitest';
import { ONLY, SEEDS } from './config.js';
import { Installation } from './harness/installation.js';
import { play, type Scenario } from './harness/play.js';
import type { Stage } from './harness/stage.js';

/** Enough for an empty cluster and its WAL, and little more. */
const SIZE = '300m';
const SMALL = { shared_buffers: '16MB', min_wal_size: '32MB', max_wal_size: '64MB' };

let disk = '';
let servers: OwnServers | undefined;
let installation: Installation | undefined;

/** A disk of its own, which can be full without hurting anybody else. Null where only root could make one. */
async function mountDisk(): Promise<string | null> {
  if (process.getuid?.() !== 0) return null;
  const folder = await mkdtemp(join(tmpdir(), 'carillon-disk-'));
  try {
    execFileSync('/bin/mount', ['-t', 'tmpfs', '-o', `size=${SIZE},mode=0755`, 'tmpfs', folder], {
      stdio: 'pipe',
    });
    return folder;
  } catch {
    await rmdir(folder);
    return null;
  }
}

/** Fills what is left of the disk. */
async function fill(path: string): Promise<void> {
  const file = await open(path, 'w');
  const block = Buffer.alloc(1_024 * 1_024);
  try {
    for (;;) await file.write(block);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    await file.close();
  }
}

/** A schedule that takes up room. */
const bulky = (stage: Stage) => ({
  ...stage.webhook('alpha', stage.inMs(60_000)),
  payload: randomBytes(60_000).toString('base64'),
});

const diskFull: Scenario = {
  number: 12,
  fault: "Postgres's disk full",
  holds: '503, no partial rows, and it recovers',
  async play(stage) {
    const { clients, random } = stage;
    await stage.load({ seconds: 4, size: 10 });
    const ballast = join(disk, 'ballast');
    await fill(ballast);
    stage.inject();
    const answers = await eventually(
      async () => {
        const { status } = await clients.alpha.create(bulky(stage));
        expect([201, 503]).toContain(status);
        return status === 503;
      },
      { withinMs: 60_000, everyMs: random.integer(1, 20), what: 'a 503' },
    );
    expect(answers).toBe(true);
    await rm(ballast);
    stage.heal();
    await eventually(async () => (await clients.alpha.create(bulky(stage))).status === 201, {
      withinMs: 60_000,
      what: 'a 201 again',
    });
    const { rows } = await stage.installation.pool.query(
      `select v.key from schedules s full join schedule_versions v on v.schedule_id = s.id and v.version = s.definition_version
       where v.schedule_id is null
          or (s.id is null and not exists (select from every_run r where r.schedule_id = v.schedule_id))`,
    );
    expect(rows).toEqual([]);
  },
};

afterAll(async () => {
  await installation?.stop();
  await servers?.stop();
  if (disk) execFileSync('/bin/umount', ['-l', disk]);
  if (disk) await rmdir(disk);
}, 60_000);

it.runIf(ONLY?.includes(12) ?? true)(
  `12. ${diskFull.fault}: ${diskFull.holds}`,
  {
    timeout: 240_000 * SEEDS.length,
  },
  async ({ skip }) => {
    disk = (await mountDisk()) ?? '';
    if (disk === '') return skip('left out: only root can mount a small disk');
    const { redisUrl } = testServers();
    servers = await startOwnServers({ parent: disk, redisUrl, postgresSettings: SMALL });
    installation = await Installation.start(servers, { name: `full_${process.pid}` });
    for (const seed of SEEDS) await play(installation, diskFull, seed);
  },
);
