import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { contenders } from '../contenders/index.js';
import { RACES } from '../races/index.js';
import type { KeptResult } from './results.js';
import { toSvg } from './svg.js';

const docs = (path: string) => fileURLToPath(new URL(`../../../docs/${path}`, import.meta.url));

/**
 * Writes docs/performance.md and its charts. The hand-written part of the page is copied from
 * docs/performance/tried.md.
 */
export async function writePage(results: readonly KeptResult[]): Promise<void> {
  const inOrder = RACES.flatMap(({ name }) => results.filter((result) => result.name === name));
  const tried = await readFile(docs('performance/tried.md'), 'utf8').catch(() => '');
  await mkdir(docs('performance'), { recursive: true });
  for (const plot of inOrder.flatMap(({ plots }) => plots)) {
    if (plot.lines.length > 0) await writeFile(docs(`performance/${plot.name}.svg`), toSvg(plot));
  }
  const parts = [
    INTRODUCTION,
    goalTable(inOrder),
    ...inOrder.map(raceSection),
    conditions(inOrder),
    tried.trim(),
  ];
  await writeFile(docs('performance.md'), `${parts.filter(Boolean).join('\n\n')}\n`);
}

const INTRODUCTION = `# Performance

Carillon is compared with other schedulers on one machine: the same Node, the same Postgres with durability on, the same Redis. A *race* is one benchmark, and its
*contenders* are Carillon and the schedulers beside it. The contenders take turns, in several rounds. The tables show the median of the rounds and their spread. "This commit" is the commit that
the table under [Conditions](#conditions) names for the race. Each race checks in Postgres that every occurrence ran once and that none was lost. If the check fails, the race prints no figure.

\`pnpm bench\` runs all races and writes this page. \`pnpm bench <race>\` runs one race, and \`--write\` puts its result on the page. \`--quick\` runs the races at a small size, which
only proves that the results are correct. \`--strict\` makes the command fail if a goal is missed. \`--before <commit>\` runs an earlier commit in turns with this one and prints the ratio for each round. The last
section is written by hand in [performance/tried.md](performance/tried.md). The results are in [performance/results.json](performance/results.json).

**The figures of \`herd\`, \`recurring-herd\`, \`claims\`, \`forecast\`, \`operations\` and \`pages\` are of the [storage model](decisions/storage-model.md); those of the other races are
older**, as the table under Conditions shows. The floor of the herd is 1× graphile-worker and 2.5× pg-boss; it is missed. Measured since without writing the page: \`steady\` with 3 ms at p50 and 15 ms at p99. The
figures of the race \`retention\` are on the page [Tuning](tuning.md#history), and the race \`overlap\` has no figures yet.`;

function goalTable(results: readonly KeptResult[]): string {
  const rows = results.flatMap(({ name, goals, command }) =>
    goals.map(({ goal, figure, isMet }) => [
      `[${name}](#${name})`,
      goal,
      figure,
      isMet ? 'met' : '**missed**',
      code(command),
    ]),
  );
  return `## Goals\n\n${markdownTable(['race', 'goal', 'figure', '', 'command'], rows)}`;
}

function raceSection({ name, work, command, repeat, head, rows, notes, plots, refused }: KeptResult): string {
  const pictures = plots
    .filter(({ lines }) => lines.length > 0)
    .map((plot) => `![${plot.title}](performance/${plot.name}.svg)`);
  const without = refused.map((reason) => `No figure: ${reason}`);
  const told = [...notes, ...without].join('\n');
  const intro = `${work[0]?.toUpperCase()}${work.slice(1)}. ${repeat} ${repeat === 1 ? 'round' : 'rounds'} each: ${code(command)}.`;
  return [`## ${name}`, intro, markdownTable(head, rows, '---:'), told, ...pictures]
    .filter(Boolean)
    .join('\n\n');
}

function conditions(results: readonly KeptResult[]): string {
  const settings = contenders({ only: null, before: null }).map(({ name, version, settings }) => [
    name,
    version,
    settings,
  ]);
  const runs = results.map(({ name, at, commit, machine }) => [name, `${at} UTC`, commit, machine]);
  const servers = [...new Set(results.flatMap((result) => result.servers))];
  return [
    '## Conditions',
    markdownTable(['contender', 'version', 'settings'], settings),
    servers.map((server) => `- ${server}`).join('\n'),
    markdownTable(['race', 'when', 'commit', 'machine'], runs),
  ].join('\n\n');
}

const code = (text: string) => `\`${text}\``;

/** Formats a Markdown table. Columns of figures are aligned right. */
function markdownTable(head: readonly string[], rows: readonly (readonly string[])[], align = '---'): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const rule = head.map((_, i) => (i === 0 ? '---' : align));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}
