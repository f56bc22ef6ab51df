import { expect, it } from 'vitest';
import { failureLabel } from './failure-label.js';

it.each([
  ['http_503', 'http_5xx'],
  ['http_404', 'http_4xx'],
  ['timeout', 'timeout'],
  ['worker_lost', 'worker_lost'],
  ['payload_invalid', 'payload_invalid'],
  ['queue_full', 'queue_full'],
  ['anything that a handler made up', 'other'],
  ['http_', 'other'],
])('a failed attempt with the error code %s is counted in the metrics under the label %s', (code, label) => {
  expect(failureLabel(code)).toBe(label);
});
