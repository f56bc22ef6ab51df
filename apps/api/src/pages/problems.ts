import { PROBLEM_CODES, PROBLEMS, type ProblemCode } from '@carillon/shared';
import { escaped, layout } from './layout.js';

const STYLE = `
main { max-width: 760px; margin: 0 auto; padding: 28px 20px 80px }
`;

/** Converts text with `code` marks to HTML. */
const inline = (text: string) => escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>');

/** Renders the page that the `type` of a problem leads to. */
export function renderProblem(code: ProblemCode): string {
  const { status, title, advice } = PROBLEMS[code];
  return layout({
    title: `${title} · Carillon`,
    style: STYLE,
    body: `<main><p><a href="../problems">All problems</a></p><h1>${escaped(title)}</h1>
<p><code>${code}</code>, HTTP status ${status}</p><p>${inline(advice)}</p></main>`,
  });
}

export function renderProblemList(): string {
  const rows = PROBLEM_CODES.map((code) => {
    const { status, title, advice } = PROBLEMS[code];
    return `<tr><td><a href="problems/${code}"><code>${code}</code></a></td><td>${status}</td><td><b>${escaped(title)}.</b> ${inline(advice)}</td></tr>`;
  });
  return layout({
    title: 'Problems · Carillon',
    style: STYLE,
    body: `<main><h1>Problems</h1><p>Every answer that is not a success is <code>application/problem+json</code> with one of these codes.</p>
<table><tr><th>Code</th><th>Status</th><th>What to do</th></tr>${rows.join('')}</table></main>`,
  });
}

/** The list of all problems as Markdown. A test compares `docs/problems.md` with it. */
export function renderProblemMarkdown(): string {
  const rows = PROBLEM_CODES.map((code) => {
    const { status, title, advice } = PROBLEMS[code];
    return `| \`${code}\` | ${status} | ${title} | ${advice} |`;
  });
  return `# Problems

Every answer of the API that is not a success is \`application/problem+json\` (RFC 9457). \`code\` is stable, so a client may branch on
it. \`type\` is a path of the API that leads to a page about the problem. \`errors\` names the fields of an invalid request, each with
one of the codes \`missing\`, \`unknown_field\` and \`invalid_value\`.

| Code | Status | Title | What to do |
| --- | --- | --- | --- |
${rows.join('\n')}
`;
}
