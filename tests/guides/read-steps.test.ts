import { describe, expect, it } from 'vitest';
import { hasOutput } from './compare-output.js';
import { readSteps, unusedFiles } from './read-steps.js';

const block = (language: string, ...lines: string[]) => `\`\`\`${language}\n${lines.join('\n')}\n\`\`\`\n\n`;

describe('The steps of a guide', () => {
  it('in a guide, a block with a file name is a file, a block of sh is commands, and the plain block after it is their output', () => {
    const page = `${block('ts', '// a.ts', 'x();')}Text.\n\n${block('sh', 'node a.ts')}${block('', 'done')}`;
    expect(readSteps('page', page)).toEqual([
      { kind: 'file', line: 1, name: 'a.ts', text: '// a.ts\nx();\n' },
      { kind: 'commands', line: 8, text: 'node a.ts\n', expected: 'done\n' },
    ]);
  });

  it('a guide with a code block that would not be executed is refused, and the error names the line of the block', () => {
    expect(() => readSteps('docs/a.md', `Text.\n\n${block('ts', 'x();')}`)).toThrow('docs/a.md:3');
    expect(() => readSteps('docs/a.md', `${block('sh', 'a')}Text.\n\n${block('', 'out')}`)).toThrow(
      'would not be executed',
    );
  });

  it('in a guide, a block of json becomes a module that the type check compares with the type in the comment before the block', () => {
    const page = `<!-- type: WebhookAlert -->\n${block('json', '{ "type": "alert" }')}`;
    const text = `import type { WebhookAlert } from '@carillon/client';

export const example: WebhookAlert = { "type": "alert" };
`;
    expect(readSteps('page', page)).toEqual([{ kind: 'example', line: 2, name: 'json-of-line-2.ts', text }]);
    expect(() => readSteps('docs/a.md', block('json', '{}'))).toThrow('docs/a.md:1');
  });

  it('a file of a guide that no command and no other file mentions is reported', () => {
    const used =
      block('ts', '// a.ts', "import './b.ts';") + block('ts', '// b.ts') + block('sh', 'node a.ts');
    expect(unusedFiles(readSteps('page', used))).toEqual([]);
    expect(unusedFiles(readSteps('page', used + block('ts', '// c.ts')))).toEqual(['c.ts']);
  });
});

describe('The output that a guide shows', () => {
  it('the output of a command matches the output in a guide even if times, durations or ids differ, or there are further lines', () => {
    const output = 'due 2027-01-01 09:00:00Z\n(node) note\nran run_ab_12  in 31 ms\n';
    expect(hasOutput(output, 'due 2026-11-18 10:00:00Z\nran run_zz_9 in 4 ms\n')).toBe(true);
    expect(hasOutput(output, '…\nran … in …\n')).toBe(true);
  });

  it('the output of a command does not match the output in a guide if a line is missing, a word differs or the order differs', () => {
    expect(hasOutput('succeeded\n', 'succeeded\nagain\n')).toBe(false);
    expect(hasOutput('failed 3 times\n', 'failed\n')).toBe(false);
    expect(hasOutput('one\ntwo\n', 'two\none\n')).toBe(false);
  });
});
