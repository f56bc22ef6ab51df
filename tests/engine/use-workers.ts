import type { Processes, TestProcess } from '@carillon/testkit';
import { afterEach } from 'vitest';

/** Returns a function that starts a worker. Each worker is stopped by SIGTERM after the test that started it. */
export function useWorkers(processes: Processes) {
  let workers: TestProcess[] = [];
  afterEach(async () => {
    await Promise.all(workers.map((worker) => worker.end()));
    workers = [];
  });
  return async (env: Record<string, string> = {}, nodeArguments: string[] = []): Promise<TestProcess> => {
    const worker = await processes.worker({ env, nodeArguments });
    workers.push(worker);
    return worker;
  };
}
