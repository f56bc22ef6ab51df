import { expect, it } from 'vitest';
import { missedGoals } from './missed-goals.js';

it('the missed goals of a benchmark are named with their race and figure, and the goals that were met are left out', () => {
  const results = [
    { name: 'herd', goals: [{ goal: '1.5× graphile-worker', figure: '1.33×', isMet: false }] },
    { name: 'steady', goals: [{ goal: 'p50 ≤ 10 ms', figure: '5 ms', isMet: true }] },
  ];
  expect(missedGoals(results)).toEqual(['herd: 1.5× graphile-worker: 1.33×']);
});
