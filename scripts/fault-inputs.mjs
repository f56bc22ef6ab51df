/**
 * The test files with random histories and bad input that `pnpm faults` runs. `pnpm faults` prints a table with a row
 * for each of them. A row counts only the tests whose name matches `name`. `times` is the environment variable that
 * says how many inputs each of these tests tries; without it, each test counts as one.
 */
export const FAULT_INPUTS = [
  {
    input: 'random histories of edits, pauses, crashes and clock jumps',
    file: 'tests/faults/simulation.test.ts',
    name: /^after a random history of edits/,
    times: 'SIMULATION_RUNS',
  },
  {
    input: 'requests made from the OpenAPI document, valid and not',
    file: 'apps/api/test/fuzz.test.ts',
    name: /^every response to .* with random parameters/,
    times: 'FUZZ_RUNS',
  },
  {
    input: 'hostile values in every place of every operation',
    file: 'apps/api/test/hostile.test.ts',
    name: /^no hostile value in any parameter/,
    times: 'HOSTILE_REQUESTS',
  },
  {
    input: 'hostile rules',
    file: 'packages/recurrence/src/hostile-rules.test.ts',
    name: /^(?:the rule .*, which could make the evaluation hang|a timing whose rule is)/,
  },
  {
    input: 'hostile and malformed URLs',
    file: 'packages/shared/src/webhook/hostile-urls.test.ts',
    name: /^the (?:malformed )?webhook URL .* is refused/,
  },
];
