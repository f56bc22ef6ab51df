import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '../start-error.js';
import type { App, RunningApp } from './run-app.js';

const READY_WITHIN_MS = 60_000;

interface StartingApp {
  app: App;
  running: RunningApp;
}

/**
 * Waits until the API reports that it is ready, or until `stop` is aborted. Throws if an app ends before that, or after
 * a time-out.
 */
export async function waitUntilReady(url: string, apps: StartingApp[], stop: AbortSignal): Promise<void> {
  let ended: StartError | null = null;
  for (const { app, running } of apps) {
    void running.ended.then((how) => {
      ended ??= new StartError(whyItEnded(app.name, how, running.lastWords()));
    });
  }
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!stop.aborted) {
    if (ended) throw ended;
    if (await answersOk(`${url}/health/ready`)) return;
    if (Date.now() > deadline)
      throw new StartError(`The API was not ready within ${READY_WITHIN_MS / 1000} s`);
    await sleep(50);
  }
}

async function answersOk(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

/**
 * The reason in one line: the app's own message if it is a single line, otherwise the first line that begins like an
 * error message.
 */
function whyItEnded(name: string, how: string, words: string[]): string {
  const said = words.filter((line) => line.trim() !== '');
  if (said.length === 1 && said[0]) return said[0];
  const error = said.find((line) => /^\s*(\w*Error|fatal|error)\b/i.test(line)) ?? 'it did not say why';
  return `${name} did not start (${how}): ${error.trim()}`;
}
