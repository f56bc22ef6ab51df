import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from './log.js';

export interface RunningProcess {
  pid: number;
  /** Resolves when the process has ended, with the exit code or the signal ("exit code 1", "SIGKILL"). */
  ended: Promise<string>;
  stop(): Promise<void>;
}

export interface KeptProcess {
  stop(): Promise<void>;
}

interface KeepRunningOptions {
  name: string;
  running: RunningProcess;
  start: () => Promise<RunningProcess>;
  log: Log;
}

/** How a worker ends when the code of its handlers has changed (`apps/worker/src/main.ts`). This is not a crash. */
const RELOAD = 'exit code 75';
const FIRST_RESTART_WAIT_MS = 100;
const MAX_RESTART_WAIT_MS = 10_000;
/** If a process ran for longer than this before it crashed, the delay before its restart is the shortest again. */
const STEADY_AFTER_MS = 30_000;

/** Restarts a process each time it ends, unless `stop` was called. The delay grows while the process keeps crashing. */
export function keepRunning({ name, running, start, log }: KeepRunningOptions): KeptProcess {
  const stopping = new AbortController();
  let latest: RunningProcess | null = running;

  async function watch(initial: RunningProcess): Promise<void> {
    let current = initial;
    let waitMs = FIRST_RESTART_WAIT_MS;
    while (true) {
      const startedAt = Date.now();
      const how = await current.ended;
      latest = null;
      if (stopping.signal.aborted) return;
      const isReload = how === RELOAD;
      if (isReload || Date.now() - startedAt > STEADY_AFTER_MS) waitMs = FIRST_RESTART_WAIT_MS;
      if (isReload) log.info(`${name} starts again with changed handlers`);
      else log.warn(`${name} ended (${how}); starting it again in ${waitMs} ms`);
      const next = await startAgain(waitMs);
      if (next === null) return;
      current = next;
      waitMs = Math.min(waitMs * 2, MAX_RESTART_WAIT_MS);
    }
  }

  async function startAgain(waitMs: number): Promise<RunningProcess | null> {
    for (let pauseMs = waitMs; ; pauseMs = Math.min(pauseMs * 2, MAX_RESTART_WAIT_MS)) {
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return null;
      try {
        latest = await start();
        if (stopping.signal.aborted) await latest.stop();
        return latest;
      } catch (error) {
        log.warn(`${name} did not start: ${(error as Error).message}`);
      }
    }
  }

  const watching = watch(running);
  return {
    async stop() {
      stopping.abort();
      await latest?.stop();
      await watching;
    },
  };
}
