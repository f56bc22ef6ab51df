import { insertSchedules, useDatabase } from '@carillon/testkit';
import { object, optional, pipe, string, transform } from 'valibot';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { defineHandler, defineSchedule } from '../src/define.js';
import { Registry } from '../src/registry.js';
import { awaitRun, hasEnded, insertDue, startTestWorker, useRegistry } from './support.js';

const seen: unknown[] = [];
const Digest = z.object({ to: z.email(), sinceAt: z.iso.datetime().transform((text) => new Date(text)) });

const sendDigest = defineHandler({
  name: 'typed-digest',
  schema: Digest,
  run({ payload }) {
    expectTypeOf(payload).toEqualTypeOf<{ to: string; sinceAt: Date }>();
    seen.push(payload);
  },
});
const greet = defineHandler({
  name: 'typed-greet',
  schema: optional(
    object({
      name: pipe(
        string(),
        transform((name) => name.toUpperCase()),
      ),
    }),
  ),
  run({ payload }) {
    expectTypeOf(payload).toEqualTypeOf<{ name: string } | undefined>();
    seen.push(payload);
  },
});
const untyped = defineHandler({
  name: 'typed-not',
  run: ({ payload }) => expectTypeOf(payload).toEqualTypeOf<unknown>(),
});

let atOnce = 0;
let mostAtOnce = 0;
/** The first run waits for a second one, so that two runs overlap on every machine. */
let noteOverlap = () => {};
const overlap = new Promise<void>((resolve) => {
  noteOverlap = resolve;
});
const limited = defineHandler({
  name: 'typed-limited',
  concurrency: 2,
  async run() {
    mostAtOnce = Math.max(mostAtOnce, ++atOnce);
    if (atOnce === 2) noteOverlap();
    await overlap;
    atOnce--;
  },
});
const asynchronous = defineHandler({
  name: 'typed-asynchronous',
  schema: z.object({ code: z.string().refine(async (code) => code === 'known', 'is not known') }),
  run: () => {},
});

const handlers = [sendDigest, greet, untyped, limited, asynchronous];
const registry = new Registry({ handlers, schedules: [] });
const database = useDatabase();
const shared = useDatabase();
const declaring = useDatabase();
useRegistry(database, registry);

const target = ({ name }: { name: string }) => ({ target: { type: 'handler' as const, name } });

describe('A typed handler', () => {
  it('a handler with a Zod schema gets the output of the schema as its payload', async () => {
    const payload = { to: 'ada@example.com', sinceAt: '2026-11-01T00:00:00Z' };
    const id = await insertDue(database, { ...target(sendDigest), payload });
    expect(await awaitRun(database, id, hasEnded)).toMatchObject({ status: 'succeeded' });
    expect(seen).toContainEqual({ to: 'ada@example.com', sinceAt: new Date('2026-11-01T00:00:00Z') });
  });

  it('a handler with an optional Valibot schema gets its payload, or undefined if the schedule has none', async () => {
    const named = await insertDue(database, { ...target(greet), payload: { name: 'ada' } });
    await awaitRun(database, named, hasEnded);
    expect(seen).toContainEqual({ name: 'ADA' });
    const absent = await insertDue(database, target(greet));
    expect(await awaitRun(database, absent, hasEnded)).toMatchObject({ status: 'succeeded' });
    expect(seen).toContain(undefined);
  });

  it('a run whose payload does not fit its handler’s schema fails at once, with a reason that names the field and the handler', async () => {
    const id = await insertDue(database, { ...target(sendDigest), payload: { to: 'ada' } });
    const run = await awaitRun(database, id, hasEnded);
    expect(run).toMatchObject({ status: 'failed', attempt: 1, errorCode: 'payload_invalid' });
    expect(run.error).toMatch(
      /^the payload does not fit the schema of the handler typed-digest: to: .*sinceAt: /,
    );
  });

  it('a payload whose handler has an asynchronous schema is validated when the run starts', async () => {
    expect(registry.payloadProblem(target(asynchronous).target, { code: 'other' })).toBeNull();
    const id = await insertDue(database, { ...target(asynchronous), payload: { code: 'other' } });
    expect((await awaitRun(database, id, hasEnded)).error).toContain('code: is not known');
  });

  it('a handler with concurrency 2 never has more than two runs at once in a worker, and the runs that wait do not fail', async () => {
    const at = new Date().toISOString();
    const ids = await insertSchedules(
      database,
      Array.from({ length: 20 }, () => ({ ...target(limited), rule: { at } })),
    );
    for (const id of ids)
      expect(await awaitRun(database, id, hasEnded)).toMatchObject({ status: 'succeeded' });
    expect(mostAtOnce).toBe(2);
  });

  it('a handler whose concurrency is not a whole number of 1 or more is refused, and the error names the handler', () => {
    expect(() => defineHandler({ name: 'none', concurrency: 0, run: () => {} })).toThrow(
      'the handler none has concurrency: 0; expected a whole number of at least 1',
    );
  });

  it('two workers with different handlers claim only the runs of their own handlers', async () => {
    const ranIn: string[] = [];
    const start = (name: string) => {
      const run = () => void ranIn.push(name);
      return startTestWorker(
        shared,
        {},
        undefined,
        new Registry({ handlers: [{ name, run }], schedules: [] }),
      );
    };
    const workers = await Promise.all([start('typed-left'), start('typed-right')]);
    const names = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? 'typed-left' : 'typed-right'));
    const ids = await Promise.all(names.map((name) => insertDue(shared, target({ name }))));
    for (const id of ids)
      expect(await awaitRun(shared, id, hasEnded)).toMatchObject({ status: 'succeeded', freeAttempts: 0 });
    expect(ranIn.toSorted()).toEqual(names.toSorted());
    for (const worker of workers) await worker.stop();
  });

  it('a worker refuses to start if the payload of a declared schedule does not fit its handler', async () => {
    const payload = { to: 'nobody', sinceAt: '2026-11-01T00:00:00Z' };
    const schedules = [
      defineSchedule({ name: 'typed-nightly', cron: '0 3 * * *', handler: sendDigest, payload }),
    ];
    const starting = startTestWorker(declaring, {}, undefined, new Registry({ handlers: [], schedules }));
    await expect(starting).rejects.toThrow(
      /typed-nightly declared in code: payload: does not fit the schema of the handler typed-digest: to: /,
    );
  });

  it('declaring a schedule with a handler registers that handler, and a second handler with its name is refused', () => {
    const schedule = defineSchedule({ name: 'typed-hourly', every: 'PT1H', handler: greet });
    expect(new Registry({ handlers: [], schedules: [schedule] }).names).toContain('typed-greet');
    expect(new Registry({ handlers: [greet], schedules: [schedule] }).names).toContain('typed-greet');
    const twice = [greet, { ...greet }];
    expect(() => new Registry({ handlers: twice, schedules: [] })).toThrow(
      'a handler named typed-greet is defined already',
    );
  });

  it('the compiler refuses a declared schedule whose payload does not have the type that its handler expects', () => {
    // @ts-expect-error: the payload is required.
    defineSchedule({ name: 'typed-a', every: 'PT1H', handler: sendDigest });
    // @ts-expect-error: `to` must be a string.
    defineSchedule({ name: 'typed-b', every: 'PT1H', handler: sendDigest, payload: { to: 1, sinceAt: '' } });
    defineSchedule({ name: 'typed-c', every: 'PT1H', handler: greet });
    defineSchedule({ name: 'typed-d', every: 'PT1H', handler: untyped, payload: { any: ['json'] } });
  });
});
