import { expect, test } from 'vitest';
import { terminalLine } from './log-line.js';

const warning = (text: string) => ({ text, isWarning: true });
const output = (text: string) => ({ text, isWarning: false });

test.each([
  ['{"level":30,"msg":"claimed 3"}', null],
  ['{"level":20,"msg":"details","runId":"run_r1_0"}', null],
  ['{"level":30,"msg":"mail sent","runId":"run_r1_0"}', output('api: mail sent')],
  ['{"level":40,"msg":"Redis is away"}', warning('api warning: Redis is away')],
  [
    '{"level":50,"msg":"sweep failed","err":{"message":"timeout"}}',
    warning('api error: sweep failed: timeout'),
  ],
  ['{"level":60,"msg":"timeout","err":{"message":"timeout"}}', warning('api fatal: timeout')],
  [
    '{"level":40,"msg":"Handler failed","runId":"run_r1_0","handler":"greet","err":{"message":"no name","stack":"Error: no name\\n    at run (node:vm:1:2)\\n    at Object.run (/app/src/greet.ts:3:9)"}}',
    warning('api warning: Handler failed: greet: no name (/app/src/greet.ts:3:9)'),
  ],
  [
    '{"level":50,"msg":"Run failed for good","runId":"run_r1_0","scheduleId":"daily","error":"handler greet: no name"}',
    warning('api error: Run failed for good: daily: handler greet: no name'),
  ],
  ['printed by a handler', output('api: printed by a handler')],
  ['{"half":', output('api: {"half":')],
  ['  ', null],
])('the supervisor turns the log line %s into the terminal output %j', (line, shown) => {
  expect(terminalLine('api', line)).toEqual(shown);
});
