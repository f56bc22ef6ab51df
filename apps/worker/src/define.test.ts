import { expect, it } from 'vitest';
import type { HandlerRun } from './define.js';
import { Registry } from './registry.js';

it('the built-in handler log writes the ids and the size of the payload, never the payload', () => {
  const logged: unknown[] = [];
  const log = { info: (...line: unknown[]) => logged.push(line) };
  const run = { log, runId: 'run_r1_0', scheduleId: 'invoice', payload: { iban: 'DE02' } };
  new Registry({ handlers: [], schedules: [] }).find('log')?.run(run as unknown as HandlerRun);
  expect(logged).toEqual([[{ scheduleId: 'invoice', payloadBytes: 15 }, 'Run']]);
});
