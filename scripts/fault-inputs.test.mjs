import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FAULT_INPUTS } from './fault-inputs.mjs';
import { root } from './install.mjs';
import { testNames } from './test-names.mjs';

describe('The inputs of `pnpm faults`', () => {
  it.each(FAULT_INPUTS)('a test of $file is counted as "$input"', ({ file, name }) => {
    const names = testNames(readFileSync(join(root, file), 'utf8')).map((test) => test.name);
    expect(names).toContainEqual(expect.stringMatching(name));
  });
});
