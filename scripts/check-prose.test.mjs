import { describe, expect, it } from 'vitest';
import { findProseProblems } from './check-prose.mjs';

const rules = (path, text) => findProseProblems(path, text).map(({ line, rule }) => `${line}: ${rule}`);
const inComment = (sentence) => findProseProblems('a.ts', `/** ${sentence} */\nconst a = 1;`).length;
/**
 * Builds the call of a test from its parts, so that this file itself does not contain the names that the check rejects.
 */
const inTestName = (name, call = 'it') =>
  findProseProblems('a.test.ts', `${call}('${name}', () => {});`).length;

const SUBJECT = 'name the subject first';
const VAGUE = 'name the component or the person';

describe('prose check', () => {
  it.each([
    'What is due is claimed.',
    'Who waits is told.',
    'Of two claims, one wins.',
    'Where nothing is due, it sleeps.',
    'The claim ends. Whoever rings next looks again.',
    'This is for nobody.',
    'The claim ends: nobody waits for it.',
    'The same for a route without a key.',
    'It refuses to run as root.',
  ])('the prose check rejects the comment "%s"', (sentence) => {
    expect(inComment(sentence)).toBeGreaterThan(0);
  });

  it.each([
    'The sweep arms what is missing.',
    'Runs as the user `nobody`.',
    'Rejects a sentence such as "What is due is claimed."',
    'What is due?',
    'Offsets of half an hour are allowed.',
    'The same instant in UTC.',
    'The claim ends. It may be repeated.',
  ])('the prose check accepts the comment "%s"', (sentence) => {
    expect(inComment(sentence)).toBe(0);
  });

  it('the prose check reads a sentence across the lines of a comment, and reports it with the first line', () => {
    const text = [
      'const a = 1;',
      '// The claim ends here.',
      '// Who waits',
      '// is told.',
      `const b = 2; ${'//'} What is left.`,
    ].join('\n');
    expect(rules('a.ts', text)).toEqual([`2: ${SUBJECT}`, `5: ${SUBJECT}`]);
  });

  it('the prose check lets a later paragraph of a comment open with a pronoun, because the first paragraph names its noun', () => {
    const text = ['/**', ' * The claim ends.', ' *', ' * It may be repeated.', ' */'].join('\n');
    expect(rules('a.ts', text)).toEqual([]);
  });

  it('the prose check does not take strings and code for comments', () => {
    expect(rules('a.ts', "const url = 'http://example.com//Who';\nconst whoever = somebody;\n")).toEqual([]);
  });

  it.each([
    'and it ends',
    'but not twice',
    'it is claimed',
    'one that waits is claimed',
    'what is due runs',
    'refuses a cursor',
    'is claimed once',
    'should claim',
  ])('the prose check rejects the test name "%s"', (name) => {
    expect(inTestName(name)).toBe(1);
    expect(inTestName(name, 'describe')).toBe(1);
    expect(inTestName(name, 'it.each(CASES)')).toBe(1);
    expect(inTestName(name, 'it.each([1, 2])')).toBe(1);
  });

  it.each([
    ['a constant', "const NAME = 'it is claimed';\nit(NAME, () => {});"],
    ['a template', 'it(`it is claimed by all`, () => {});'],
    ['joined texts', "it(\n  'it is ' +\n    'claimed',\n  () => {},\n);"],
    ['an only argument', "it('it is claimed');"],
    [
      'a name behind computed cases',
      "it.each(all.filter(([a]) => !is(a, ')')))(\n  'it is claimed',\n  () => {});",
    ],
    ['a name behind a condition', "test.runIf(isRoot()).each(ways('`'))('it is claimed', () => {});"],
    [
      'a name behind typed cases',
      "it.each<[string, (n: number) => boolean]>([/[)]/])('it is claimed', () => {});",
    ],
  ])('the prose check reads the test name in %s', (_what, text) => {
    expect(findProseProblems('a.test.ts', text)).toMatchObject([
      { sentence: expect.stringContaining('it is') },
    ]);
  });

  it('the prose check rejects a test whose name it cannot read, but not other calls named test', () => {
    const rule = 'a test name is a text, a template or a constant of its file';
    expect(rules('a.test.ts', 'it(nameOf(x), () => {});')).toEqual([`1: ${rule}`]);
    expect(rules('a.test.ts', 'test.clock.advance(day);\nNAME.test(text);')).toEqual([]);
    expect(rules('a.ts', 'test(id) {}')).toEqual([]);
  });

  it('the prose check reads the comments of SQL', () => {
    const sql = "-- The claim ends.\n-- Who waits is told.\nselect '-- who';\n--> statement-breakpoint\n";
    expect(rules('a.sql', sql)).toEqual([`1: ${SUBJECT}`]);
  });

  it('the prose check accepts a test name that states its promise', () => {
    expect(inTestName('rescue and close race: exactly one of them wins')).toBe(0);
  });

  it('the prose check reads the sentences of a document, but not its headings and code', () => {
    const text = '# What it is\n\nThe claim ends.\nWho waits is told.\n\n```\nWho waits\n```\n';
    expect(rules('a.md', text)).toEqual([`3: ${SUBJECT}`]);
  });

  it('the prose check accepts fragments in table cells, but no vague words', () => {
    expect(rules('a.md', '| What it does | why |\n| --- | --- |\n| claims | somebody asked |\n')).toEqual([
      `3: ${VAGUE}`,
    ]);
  });
});
