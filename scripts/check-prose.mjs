import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './install.mjs';
import { testNames } from './test-names.mjs';

// Checks comments, test names and documents for the patterns that CONTRIBUTING.md rules out under "Plain English".

const HEADLESS = /^(?:what|whatever|who|whom|whoever|whose|of|where|wherever)\b/i;
const VAGUE = /\b(?:somebody|nobody|whoever|whomever)\b/i;
const CONTINUES = /^(?:and|but|or|so|then)\b/i;
/**
 * A comment is often read alone, in an editor's tooltip, so it must not begin with a pronoun for something in the line
 * before it.
 */
const POINTS_ELSEWHERE = /^(?:it|its|they|them|the same(?:,| for))(?=\s|$)/i;
/** Verbs that are never nouns, so a test name that begins with such a verb has no subject. */
const VERB =
  /^(?:accepts|adds|allows|can|cannot|does|gives|has|is|keeps|leaves|makes|may|must|needs|refuses|rejects|says|sends|should|tells|throws|uses|writes)\b/i;
const IS_TEST = /\.test\.\w+$/;
const UNREADABLE_NAME = 'a test name is a text, a template or a constant of its file';
const PRONOUN = /^(?:it|they|he|she|this|these|those|who|what|one (?:who|that|which|is|of))\b/i;

/** Returns the problems of one file, each with its line and the sentence. */
export function findProseProblems(path, text) {
  const isMarkdown = path.endsWith('.md');
  const blocks = isMarkdown
    ? markdownBlocks(text)
    : commentBlocks(path.endsWith('.sql') ? asLineComments(text) : text);
  const problems = blocks.flatMap(({ line, prose, isTableRow, isParagraph }) => {
    const clauses = clausesOf(prose);
    return clauses.flatMap((sentence, index) => {
      const isWhole = !isTableRow && !continuesClause(clauses[index - 1]);
      const opensComment = index === 0 && !isMarkdown && !isParagraph;
      const rule =
        (isWhole ? headlessOpening(sentence) : null) ??
        (opensComment ? pointsElsewhere(sentence) : null) ??
        vagueWord(sentence);
      return rule ? [{ path, line, rule, sentence }] : [];
    });
  });
  return isMarkdown ? problems : problems.concat(testNameProblems(path, text));
}

function testNameProblems(path, text) {
  return testNames(text).flatMap(({ line, name }) => {
    // Outside of test files, a function or a method may have the name `test` too.
    if (name === null)
      return IS_TEST.test(path)
        ? [{ path, line, rule: UNREADABLE_NAME, sentence: 'its name is not read' }]
        : [];
    const rule = incompleteName(name) ?? vagueWord(name);
    return rule ? [{ path, line, rule, sentence: name }] : [];
  });
}

const headlessOpening = (sentence) =>
  HEADLESS.test(sentence) && !sentence.endsWith('?') ? 'name the subject first' : null;

const pointsElsewhere = (sentence) =>
  POINTS_ELSEWHERE.test(sentence) ? 'a comment names its subject, also without the line before it' : null;

const vagueWord = (sentence) => (VAGUE.test(sentence) ? 'name the component or the person' : null);

function incompleteName(name) {
  if (CONTINUES.test(name)) return 'a test name stands alone, so it cannot continue another one';
  if (PRONOUN.test(name) || VERB.test(name) || headlessOpening(name)) return 'a test name names its subject';
  return null;
}

/**
 * Splits a text into sentences and clauses. Code spans, quotations and links are removed first, because they may quote
 * the patterns.
 */
function clausesOf(prose) {
  return prose
    .replace(/`[^`]*`/g, 'code')
    .replace(/["“][^"”]*["”]/g, 'quotation')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*/g, '')
    .split(/(?<=[.?!:;])\s+(?=\S)/)
    .map((sentence) => sentence.replace(/^(?:[-*>•]|\d+\.)\s+/, '').trim())
    .filter((clause) => clause !== '');
}

/** True if the text before a clause ends with a colon or a semicolon, so that the clause is not a whole sentence. */
const continuesClause = (before) => before !== undefined && /[:;]$/.test(before);

/**
 * Returns the comments, with consecutive lines joined. A comment is on a line of its own or at the end of a line of
 * code.
 */
function commentBlocks(text) {
  const blocks = [];
  let isOpen = false;
  let isInBlockComment = false;
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    const isBlockStart = line.startsWith('/*');
    if (isBlockStart || isInBlockComment || line.startsWith('//')) {
      const prose = line.replace(/^(?:\/\*+|\/\/+|\*(?!\/))\s?/, '').replace(/\s*\*\/.*$/, '');
      if (isOpen && !isBlockStart && prose !== '') blocks.at(-1).prose += ` ${prose}`;
      else if (prose !== '' || isBlockStart)
        blocks.push({ line: index + 1, prose, isParagraph: isInBlockComment && !isBlockStart });
      isOpen = prose !== '' || isBlockStart;
      isInBlockComment = (isBlockStart || isInBlockComment) && !line.includes('*/');
      if (isBlockStart && !isInBlockComment) isOpen = false;
      continue;
    }
    isOpen = false;
    const trailing = /[;,{})\]>]\s\/\/ (.+)$/.exec(raw);
    if (trailing) blocks.push({ line: index + 1, prose: trailing[1] });
  }
  return blocks;
}

/** Turns the comments of SQL into those of TypeScript. All other lines become empty, because they hold no comment. */
const asLineComments = (sql) =>
  sql.replace(/^.*$/gm, (line) => (/^\s*--(?!>)/.test(line) ? line.replace('--', '//') : ''));

/** Returns paragraphs, list items and table cells. Code fences, headings and comments are left out. */
function markdownBlocks(text) {
  const blocks = [];
  let isInFence = false;
  let isOpen = false;
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (/^(?:```|~~~)/.test(line)) isInFence = !isInFence;
    const isSkipped = isInFence || line === '' || /^(?:```|~~~|#|<!--)/.test(line);
    if (isSkipped) isOpen = false;
    else if (line.startsWith('|')) {
      blocks.push({ line: index + 1, prose: line.replaceAll('|', ' '), isTableRow: true });
      isOpen = false;
    } else if (isOpen && !/^(?:[-*]|\d+\.)\s/.test(line)) blocks.at(-1).prose += ` ${line}`;
    else {
      blocks.push({ line: index + 1, prose: line });
      isOpen = true;
    }
  }
  return blocks;
}

function main() {
  const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.mjs', '*.md', '*.sql'], {
    cwd: root,
    encoding: 'utf8',
  });
  const problems = files
    .trim()
    .split('\n')
    .flatMap((path) => findProseProblems(path, readFileSync(join(root, path), 'utf8')));
  for (const { path, line, rule, sentence } of problems)
    console.error(`${path}:${line}: ${rule}: ${sentence}`);
  if (problems.length > 0) {
    console.error(`\n${problems.length} sentences to rewrite: see "Plain English" in CONTRIBUTING.md`);
    process.exit(1);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
