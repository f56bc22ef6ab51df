import { randomBytes } from 'node:crypto';
import { createTestDatabase, dropTestDatabase, openDatabase } from '@carillon/db';
import { pino } from 'pino';
import { type DrivenWorker, type RunningCarillon, type RunOptions, start } from '../run.js';
import { type ClockReading, type TestClock, testClock } from './test-clock.js';
import { startTestServers, type TestServers } from './test-servers.js';

export interface TestOptions extends Pick<RunOptions, 'handlers' | 'schedules' | 'logger' | 'settings'> {
  /** The time at which the test begins (default: the time of this machine). */
  now?: Date | string | undefined;
  /**
   * Servers that several test installations share. Default: this installation starts its own, which takes some seconds.
   */
  servers?: Pick<TestServers, 'databaseUrl' | 'redisUrl'> | undefined;
}

/** A Carillon for tests: the real engine on a database of its own, with a clock that the test moves. */
export interface TestCarillon extends RunningCarillon {
  readonly clock: TestClock;
}

/**
 * Starts Carillon for a test: the real worker, API and servers, and a clock that stands still until the test moves it.
 */
export async function startTestCarillon(options: TestOptions = {}): Promise<TestCarillon> {
  const { now: beginAt = new Date(), servers: given, settings, ...rest } = options;
  const reading: ClockReading = { now: new Date(beginAt).getTime() };
  if (Number.isNaN(reading.now)) throw new Error(`now: "${beginAt}" is not an instant`);
  const own = given ? null : await startTestServers();
  const { databaseUrl, redisUrl } = given ?? (own as TestServers);
  const name = `carillon_test_${randomBytes(6).toString('hex')}`;
  const connectionString = await createTestDatabase(databaseUrl, { name, now: reading.now });
  const pool = openDatabase({
    url: connectionString,
    max: 2,
    applicationName: 'carillon-testing',
    onError: () => {},
  });
  const close = async () => {
    await pool.end();
    await dropTestDatabase(databaseUrl, name);
    await own?.stop();
  };
  try {
    const { carillon, worker } = await start(
      {
        logger: pino({ level: 'silent' }),
        ...rest,
        connectionString,
        redisUrl,
        encryptionKey: randomBytes(32).toString('base64'),
        settings: { ALLOW_PRIVATE_TARGETS: 'true', ...settings, REDIS_PREFIX: name },
      },
      { localNow: () => reading.now },
    );
    const stop = async () => {
      await carillon.stop();
      await close();
    };
    const clock = testClock(reading, pool, worker as DrivenWorker);
    return { ...carillon, clock, stop, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await close();
    throw error;
  }
}
