import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, open, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, type OwnServers, startOwnServers, testServers } from '@carillon/testkit';
import { afterAll, expect, it } from 'vitest';
import { isChosen, SEEDS } from './config.js';
import { Installation } from './harness/installation.js';
import { leaveOut, play, type Scenario } from './harness/play.js';
import type { Stage } from './harness/stage.js';

/** The size of the disk: enough for an empty Postgres and its write-ahead log, and little more. */
const SIZE = '300m';
const SMALL = { shared_buffers: '16MB', min_wal_size: '32MB', max_wal_size: '64MB' };

let disk = '';
let servers: OwnServers | undefined;
let installation: Installation | undefined;

/**
 * Mounts a small disk, which can be filled without harm to anything else. Returns null if this user is not root,
 * because only root may mount a disk.
 */
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

/** Fills the rest of the disk. */
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

/** A schedule with a payload of 80 kB, which takes up room on the disk. */
const bulky = (stage: Stage) => ({
  ...stage.webhook('alpha', stage.inMs(60_000)),
  payload: randomBytes(60_000).toString('base64'),
});

const diskFull: Scenario = {
  number: 12,
  fault: 'the disk of Postgres is full',
  holds: 'the API answers 503, writes no partial rows, and recovers',
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
      `select coalesce(s.key, a.schedule_id::text) as key
       from carillon.schedules s full join carillon.agenda a on a.schedule_id = s.id
       where s.id is null
          or (a.schedule_id is null and s.status = 'active'
              and not exists (select from carillon.runs r where r.schedule_id = s.id))
          or not exists (
            select from carillon.audit_log l
            where l.project_id = s.project_id and l.subject = s.key and l.action = 'schedule.created'
          )`,
    );
    expect(rows, 'schedules without their agenda row, their runs or their audit entry').toEqual([]);
  },
};

afterAll(async () => {
  await installation?.stop();
  await servers?.stop();
  if (disk) execFileSync('/bin/umount', ['-l', disk]);
  if (disk) await rmdir(disk);
}, 60_000);

it.runIf(isChosen(diskFull.number))(
  `fault 12, ${diskFull.fault}: ${diskFull.holds}`,
  {
    timeout: 240_000 * SEEDS.length,
  },
  async ({ skip }) => {
    disk = (await mountDisk()) ?? '';
    if (disk === '') {
      await leaveOut(diskFull, 'only root can mount a small disk');
      return skip('only root can mount a small disk');
    }
    const { redisUrl } = testServers();
    servers = await startOwnServers({ parent: disk, redisUrl, postgresSettings: SMALL });
    installation = await Installation.start(servers, { name: `full_${process.pid}` });
    for (const seed of SEEDS) await play(installation, diskFull, seed);
  },
);
