/** A step that a reader of a guide takes: to save a file, to run commands, or to read an example of JSON. */
export type Step =
  | { kind: 'file'; line: number; name: string; text: string }
  | { kind: 'commands'; line: number; text: string; expected: string | null }
  | { kind: 'example'; line: number; name: string; text: string };

const FENCE = /^```([^\n]*)\n([\s\S]*?)^```$/gm;
/** The first line of a code block that is a file is a comment with the name of the file. */
const FILE_NAME = /^(?:\/\/|#|--) ((?:[\w-]+\/)*(?:[\w.-]+\.\w+|Dockerfile))\n/;
/**
 * A comment right before a block of `json` names the type of the client package that the JSON has. The rendered page
 * does not show the comment.
 */
const TYPE_OF_JSON = /<!-- type: (\w+) -->\n$/;

/**
 * Reads the steps of a guide from its code blocks. A block of `sh` has commands, and one of `sql` has SQL. A block
 * without a language right after such a block is the output. A block of `json` is an example of a type of the client
 * package, and becomes a module for the type check. Every other block is a file.
 */
export function readSteps(page: string, text: string): Step[] {
  const steps: Step[] = [];
  let end = 0;
  for (const match of text.matchAll(FENCE)) {
    const [whole, language = '', code = ''] = match;
    const line = text.slice(0, match.index).split('\n').length;
    const before = steps.at(-1);
    const between = text.slice(end, match.index);
    const isRightAfter = between.trim() === '';
    end = match.index + whole.length;
    const [, name] = FILE_NAME.exec(code) ?? [];
    const [, type] = TYPE_OF_JSON.exec(between) ?? [];
    if (name !== undefined) steps.push({ kind: 'file', line, name, text: code });
    else if (language === 'sh') steps.push({ kind: 'commands', line, text: code, expected: null });
    else if (language === 'sql')
      steps.push({
        kind: 'commands',
        line,
        text: `psql <<'END_OF_SQL'\n${code}END_OF_SQL\n`,
        expected: null,
      });
    else if (language === 'json' && type !== undefined)
      steps.push({
        kind: 'example',
        line,
        name: `json-of-line-${line}.ts`,
        text: `import type { ${type} } from '@carillon/client';\n\nexport const example: ${type} = ${code.trim()};\n`,
      });
    else if (language === '' && isRightAfter && before?.kind === 'commands') before.expected = code;
    else
      throw new Error(
        `${page}:${line}: this block would not be executed. Name its file in a comment on the first line, or make it a block of sh, sql, output, or json with a type`,
      );
  }
  return steps;
}

/** Files that a program reads although no command names them, with the command that runs this program. */
const READ_BY: Record<string, string> = { Dockerfile: 'docker compose', 'compose.yaml': 'docker compose' };

/**
 * The files of a guide that no command and no other file mentions. The guide would show them, but nothing would run
 * them.
 */
export function unusedFiles(steps: readonly Step[]): string[] {
  return steps.flatMap((step) => {
    if (step.kind !== 'file') return [];
    const others = steps.filter((other) => !(other.kind === 'file' && other.name === step.name));
    return others.some(({ text }) => text.includes(READ_BY[step.name] ?? step.name)) ? [] : [step.name];
  });
}
