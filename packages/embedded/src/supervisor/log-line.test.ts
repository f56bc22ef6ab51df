import { expect, test } from 'vitest';
import { terminalLine } from './log-line.js';

test.each([
  ['{"level":30,"msg":"claimed 3"}', null],
  ['{"level":40,"msg":"Redis is away"}', 'api warning: Redis is away'],
  ['{"level":50,"msg":"sweep failed","err":{"message":"timeout"}}', 'api error: sweep failed: timeout'],
  ['{"level":60,"msg":"timeout","err":{"message":"timeout"}}', 'api fatal: timeout'],
  ['not json', null],
  ['{"half":', null],
])('for the log line %s the terminal shows %s', (line, shown) => {
  expect(terminalLine('api', line)).toBe(shown);
});
