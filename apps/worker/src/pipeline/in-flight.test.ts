import { stat } from 'node:fs';
import type { ClaimedRun } from '@carillon/db';
import { expect, it } from 'vitest';
import { Flight, InFlight } from './in-flight.js';

const run = (epoch: number, timeoutMs = 1_000) =>
  ({ epoch, projectId: 1, payload: null, plan: { timeoutMs } }) as ClaimedRun;
const capacity = (places: number) => ({ places, bytes: 1_000 });

it('a worker extends a lease only while a run under that lease is in flight', () => {
  const inFlight = new InFlight(capacity(10), () => {});
  const [first, second] = inFlight.add([run(1), run(1)]) as [Flight, Flight];
  inFlight.remove(first);
  expect(inFlight.epochs).toEqual([1]);
  inFlight.remove(second);
  expect(inFlight.epochs).toEqual([]);
});

it('when a lease is lost, the deliveries under it are aborted, except those that have ended and only wait to be closed', () => {
  const inFlight = new InFlight(capacity(10), () => {});
  const [open, delivered] = inFlight.add([run(1), run(1)]) as [Flight, Flight];
  delivered.isDelivered = true;
  expect(inFlight.abandon(1)).toEqual([open]);
  expect(open.reason).toBe('lease_lost');
  expect(delivered.aborted).toBe(false);
  expect(inFlight.flights()).toEqual([delivered]);
});

it('after a worker has reached its maximum number of runs, only the first run that ends reports that there is room again', () => {
  let calls = 0;
  const inFlight = new InFlight(capacity(2), (wasFull) => {
    if (wasFull) calls++;
  });
  const [first, second] = inFlight.add([run(1), run(1)]) as [Flight, Flight];
  expect(inFlight.free).toBe(0);
  inFlight.remove(first);
  inFlight.remove(second);
  inFlight.remove(second);
  expect([inFlight.free, inFlight.count, calls]).toEqual([2, 0, 1]);
});

it('a delivery that is aborted twice calls its listeners once, and its AbortSignal has the first reason', () => {
  const flight = new Flight(run(1));
  const heard: unknown[] = [];
  const leave = () => heard.push('removed listener');
  flight.addEventListener('abort', () => heard.push(flight.reason));
  flight.addEventListener('abort', leave);
  flight.removeEventListener('abort', leave);
  const { signal } = flight;
  flight.abort('timeout');
  flight.abort('shutdown');
  expect(heard).toEqual(['timeout']);
  expect(signal.reason).toBe('timeout');
  const late = new Flight(run(1));
  late.abort('cancelled');
  expect(late.signal.reason).toBe('cancelled');
});

it('a response that arrived while the event loop was blocked is accepted, although the time-out has passed meanwhile', async () => {
  const inFlight = new InFlight(capacity(10), () => {});
  const [flight] = inFlight.add([run(1, 20)]) as [Flight];
  const answered = new Promise<string | null>((resolve) => stat('.', () => resolve(flight.reason)));
  const untilAt = performance.now() + 300;
  while (performance.now() < untilAt);
  expect(await answered).toBeNull();
});

it('a delivery that has sent nothing cannot begin once its lease may have expired, and its attempt is listed as one that must not count', () => {
  const inFlight = new InFlight(capacity(10), () => {});
  const [begun, waiting] = inFlight.add([run(1), run(1)], performance.now() + 60_000) as [Flight, Flight];
  begun.begin(0);
  inFlight.extend(1, performance.now() - 1);
  expect(() => waiting.begin(1)).toThrow('lease_lost');
  expect([begun.sentAt, waiting.sentAt]).toEqual([0, null]);
  inFlight.abandon(1);
  expect(inFlight.lostUnbegun).toEqual([waiting.run]);
});

it.each([
  ['notices it', (flight: Flight) => expect(() => flight.begin(2)).toThrow('lease_lost')],
  ['has not continued', () => {}],
])(
  'if the lease is lost while a request waits for its connection, the attempt is listed as one that must not count (the delivery %s)',
  (_what, wake) => {
    const inFlight = new InFlight(capacity(10), () => {});
    const [flight] = inFlight.add([run(1)], performance.now() + 60_000) as [Flight];
    flight.connect(1);
    expect(flight.sentAt).toBe(1);
    inFlight.extend(1, performance.now() - 1);
    wake(flight);
    inFlight.abandon(1);
    expect(flight.sentAt).toBeNull();
    expect(inFlight.lostUnbegun).toEqual([flight.run]);
  },
);

it('a delivery that was aborted because its lease was lost cannot begin afterwards', () => {
  const inFlight = new InFlight(capacity(10), () => {});
  const [flight] = inFlight.add([run(1)]) as [Flight];
  inFlight.abandon(1);
  expect(() => flight.begin(1)).toThrow('lease_lost');
});
