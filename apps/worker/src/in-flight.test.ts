import type { ClaimedRun } from '@carillon/db';
import { expect, it } from 'vitest';
import { Flight, InFlight } from './in-flight.js';

const run = (epoch: number) => ({ epoch, plan: { timeoutMs: 1_000 } }) as ClaimedRun;

it('An epoch ends with the last of its runs, and not before', () => {
  const inFlight = new InFlight(10, () => {});
  const [first, second] = inFlight.add([run(1), run(1)]) as [never, never];
  expect(inFlight.epochsEndedBy([first])).toEqual([]);
  expect(inFlight.epochsEndedBy([first, second])).toEqual([1]);
  inFlight.remove(first);
  expect(inFlight.epochsEndedBy([second])).toEqual([1]);
});

it('The lease of a run that could not be closed is not given up with the others', () => {
  const inFlight = new InFlight(10, () => {});
  const [lost, closed] = inFlight.add([run(1), run(1)]) as [never, never];
  inFlight.lose(lost);
  expect(inFlight.epochsEndedBy([closed])).toEqual([]);
  inFlight.remove(closed);
  expect(inFlight.epochs).toEqual([]);
});

it('A flight that is told to stop tells whoever listens, once, by its first reason; and whoever asks for a signal later', () => {
  const flight = new Flight(run(1));
  const heard: unknown[] = [];
  const leave = () => heard.push('left long ago');
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
