import { expect, test } from 'vitest';
import { longestStopMs } from './longest-stop.js';

test('npm start gives its API and workers 15 s more to stop than their longest wait, before it kills them', () => {
  expect(longestStopMs({})).toBe(25_000);
  expect(longestStopMs({ STOP_DEADLINE_MS: '60000', STOP_DELAY_MS: '5000' })).toBe(75_000);
  expect(longestStopMs({ STOP_DEADLINE_MS: '1000', STOP_DELAY_MS: '5000' })).toBe(20_000);
});
