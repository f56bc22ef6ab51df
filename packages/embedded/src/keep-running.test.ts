import { expect, test } from 'vitest';
import { keepRunning, type RunningProcess } from './keep-running.js';

function pending<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/**
 * Simulates processes that end one after the other with the listed results. The last process runs until it is stopped.
 */
async function play(ends: readonly string[]): Promise<{ info: string[]; warn: string[] }> {
  const lines = { info: [] as string[], warn: [] as string[] };
  const started = pending<void>();
  const next = (remaining: readonly string[]): RunningProcess => {
    const ended = pending<string>();
    const [how] = remaining;
    if (how !== undefined) ended.resolve(how);
    else started.resolve();
    return { pid: 1, ended: ended.promise, stop: async () => ended.resolve('SIGTERM') };
  };
  let count = 0;
  const kept = keepRunning({
    name: 'worker-1',
    running: next(ends),
    start: async () => next(ends.slice(++count)),
    log: { info: (line) => void lines.info.push(line), warn: (line) => void lines.warn.push(line) },
  });
  await started.promise;
  await kept.stop();
  return lines;
}

test('if a process crashes again and again, the supervisor waits longer before each restart', async () => {
  expect((await play(['exit code 1', 'SIGKILL'])).warn).toEqual([
    'worker-1 ended (exit code 1); starting it again in 100 ms',
    'worker-1 ended (SIGKILL); starting it again in 200 ms',
  ]);
});

test('a worker that ends because its handlers changed is restarted without a warning, and this does not count as a crash', async () => {
  expect(await play(['exit code 1', 'exit code 75', 'exit code 1'])).toEqual({
    info: ['worker-1 starts again with changed handlers'],
    warn: [
      'worker-1 ended (exit code 1); starting it again in 100 ms',
      'worker-1 ended (exit code 1); starting it again in 200 ms',
    ],
  });
});
