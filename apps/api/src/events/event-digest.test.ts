import { expect, it } from 'vitest';
import { EventDigest } from './event-digest.js';

const event = (type: string, n: number) => ({ type, data: { id: `${type}.${n}` } });

it('an event digest counts 100,000 events by type and lists only 20 of them, failures first', () => {
  const digest = new EventDigest();
  const herd = Array.from({ length: 100_000 }, (_, n) => event('run.succeeded', n));
  digest.add(herd, { at: 1, auditId: 1 });
  digest.add([event('run.failed', 1)], { at: 2, auditId: 1 });
  const taken = digest.take();
  expect(taken?.position).toEqual({ at: 2, auditId: 1 });
  const data = taken?.event.data as unknown as { total: number; counts: object; samples: { type: string }[] };
  expect(data.total).toBe(100_001);
  expect(data.counts).toEqual({ 'run.succeeded': 100_000, 'run.failed': 1 });
  expect(data.samples).toHaveLength(20);
  expect(data.samples[0]?.type).toBe('run.failed');
  expect(JSON.stringify(data).length).toBeLessThan(2_000);
});

it('an event digest lists a failure first, even after 60 changes of schedules', () => {
  const digest = new EventDigest();
  const changes = Array.from({ length: 60 }, (_, n) => event('schedule.changed', n));
  digest.add([...changes, event('run.failed', 1)], { at: 1, auditId: 60 });
  const data = digest.take()?.event.data as unknown as { samples: { type: string }[] };
  expect(data.samples).toHaveLength(20);
  expect(data.samples[0]?.type).toBe('run.failed');
});

it('taking an event digest empties it, and taking an empty event digest gives null', () => {
  const digest = new EventDigest();
  digest.add([event('run.failed', 1)], { at: 1, auditId: 1 });
  expect(digest.take()).not.toBeNull();
  expect(digest.take()).toBeNull();
  expect(digest.hasEvents).toBe(false);
});
