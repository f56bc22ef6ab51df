import { afterEach } from 'vitest';

interface Startable<Worker, Options> {
  worker(options: Options): Promise<Worker>;
}

/**
 * Returns a function that starts a worker, as a process of its own or within the test process. Each worker is stopped
 * gracefully after the test that started it.
 */
export function useWorkers<Worker extends { end(): Promise<void> }, Options>(
  from: Startable<Worker, Options>,
) {
  let workers: Worker[] = [];
  afterEach(async () => {
    await Promise.all(workers.map((worker) => worker.end()));
    workers = [];
  });
  return async (options: Options): Promise<Worker> => {
    const worker = await from.worker(options);
    workers.push(worker);
    return worker;
  };
}
