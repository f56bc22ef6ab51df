import { expect, it } from 'vitest';
import { collectDefinitions, defineHandler, defineSchedule, type HandlerRun } from './define.js';
import { Registry } from './registry.js';

it('the built-in handler named log writes only the size of the payload to the log, never the payload itself', () => {
  const logged: unknown[] = [];
  const log = { info: (...line: unknown[]) => logged.push(line) };
  const run = { log, runId: 'run_r1_0', scheduleId: 'invoice', payload: { iban: 'DE02' } };
  new Registry().find('log')?.run(run as unknown as HandlerRun);
  expect(logged).toEqual([[{ payloadBytes: 15 }, 'Run']]);
});

it('loading a module returns only the handlers and schedules that it defines while it is loaded', async () => {
  const before = defineHandler('before', () => {});
  const load = (name: string) =>
    collectDefinitions(async () => {
      await Promise.resolve();
      defineSchedule({ name, every: 'PT1H', handler: () => {} });
    });
  const first = await load('first');
  const second = await load('second');
  defineHandler('after', () => {});
  expect(before.name).toBe('before');
  expect([first, second].map(({ handlers }) => handlers.map(({ name }) => name))).toEqual([
    ['first'],
    ['second'],
  ]);
  expect(second.schedules.map(({ input }) => input.id)).toEqual(['second']);
});

it('a handler that is defined after a module has failed to load does not belong to the next module that is loaded', async () => {
  await expect(collectDefinitions(() => Promise.reject(new Error('broken module')))).rejects.toThrow(
    'broken',
  );
  defineHandler('later', () => {});
  expect((await collectDefinitions(async () => {})).handlers).toEqual([]);
});
