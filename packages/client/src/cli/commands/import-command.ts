import { writeFileSync } from 'node:fs';
import { type Command, command, type Options, type Output, type Values } from '../command.js';
import { EXIT } from '../exit-code.js';
import type { ImportResult } from '../importers/collect-drafts.js';
import type { ImportedLine } from '../importers/create-imported.js';
import { TARGET_FORMS } from '../read-target.js';
import { table } from '../table.js';
import { lookOf, type Terminal, withoutControls } from '../terminal.js';
import { shortTime } from '../times.js';
import { UsageError } from '../usage-error.js';

const COMMON_OPTIONS = {
  'dry-run': { type: 'boolean', about: 'only show the result; needs no API' },
  output: {
    type: 'string',
    short: 'o',
    value: '<path>',
    about: 'write a file for carillon plan and carillon apply instead of creating schedules',
  },
  set: { type: 'string', value: '<name>', about: 'with --output: the set that the file names' },
  target: {
    type: 'string',
    value: '<target>',
    about: `where to deliver, {name} stands for the job: ${TARGET_FORMS}`,
  },
} as const satisfies Options;

export const ZONE_OPTION = {
  tz: { type: 'string', value: '<zone>', about: 'time zone of rules that name none (default UTC)' },
} as const satisfies Options;

interface ImportDefinition<O extends Options>
  extends Pick<Command, 'name' | 'summary' | 'details' | 'usage' | 'words' | 'examples'> {
  options: O;
  /** True if the importer finds a target for each job, so that `--target` is optional. */
  hasTarget?: boolean;
  read(positionals: readonly string[], values: Values<O>): Promise<ImportResult>;
}

/** `carillon import <source>`: creates the schedules of another system, shows them, or writes them to a file. */
export function importCommand<const O extends Options>({
  hasTarget = false,
  read,
  ...definition
}: ImportDefinition<O>): Command {
  return command({
    ...definition,
    options: { ...definition.options, ...COMMON_OPTIONS },
    async run(invocation): Promise<Output> {
      const { positionals, terminal } = invocation;
      const values = invocation.values as Values<O> & Values<typeof COMMON_OPTIONS>;
      const { target, output, 'dry-run': isDryRun = false } = values;
      const needsTarget = target === undefined && !hasTarget;
      if (needsTarget && !isDryRun && output === undefined)
        throw new UsageError('missing target: where are the jobs to be delivered? Use --target');
      const imported = await withTarget(await read(positionals, values), target);
      const { createImported } = await import('../importers/create-imported.js');
      const creates = !isDryRun && output === undefined;
      const lines = await createImported(imported, creates ? invocation.client : null, Date.now());
      if (output !== undefined && !isDryRun) await writeOutput(output, imported, values.set);
      const isWhole = lines.every(({ result }) => ['ready', 'created', 'existing'].includes(result));
      return {
        json: { dryRun: isDryRun, output: output ?? null, items: lines },
        text: linesText(lines, terminal),
        notes: [
          summaryOf(lines),
          ...(needsTarget && isDryRun ? ['The import itself needs --target.'] : []),
          ...(output !== undefined && !isDryRun
            ? [`Written to ${output}: see carillon plan -f ${output}`]
            : []),
        ],
        exitCode: isWhole ? EXIT.ok : EXIT.failed,
      };
    },
  });
}

async function withTarget(
  { drafts, refusals }: ImportResult,
  option: string | undefined,
): Promise<ImportResult> {
  if (option === undefined) return { drafts, refusals };
  const { targetOfJob } = await import('../importers/target-of-job.js');
  const targeted = drafts.map((draft) => ({
    ...draft,
    schedule: { ...draft.schedule, target: targetOfJob(option, draft.job) },
  }));
  return { drafts: targeted, refusals };
}

async function writeOutput(path: string, { drafts }: ImportResult, set: string | undefined): Promise<void> {
  const { formatOf, writeScheduleFile } = await import('../files/write-schedule-file.js');
  const schedules = drafts.map(({ schedule }) => withoutNulls(schedule));
  writeFileSync(path, writeScheduleFile({ set: set ?? null, schedules }, formatOf(path)));
}

/** Removes null fields. They hold their default, so a file need not name them. */
const withoutNulls = <T extends object>(schedule: T): T =>
  Object.fromEntries(Object.entries(schedule).filter(([, value]) => value !== null)) as T;

function linesText(lines: readonly ImportedLine[], terminal: Terminal): string {
  if (lines.length === 0) return 'Nothing to import.';
  const rows = lines.map(({ source, id, result, rule, next }) => [
    source,
    { text: result, look: lookOf(LOOKS_LIKE[result] ?? 'failed') },
    id ?? '–',
    shortTime(next),
    rule,
  ]);
  const remarked = lines.filter(({ remarks }) => remarks.length > 0);
  const parts = [table(['SOURCE', 'RESULT', 'ID', 'NEXT', 'RULE'], rows, terminal)];
  if (remarked.length > 0) parts.push(['Remarks', ...remarked.map(remarksText)].join('\n'));
  return parts.join('\n\n');
}

const remarksText = ({ source, remarks }: ImportedLine) =>
  `  ${withoutControls(source)}\n${remarks.map((remark) => `    ${withoutControls(remark)}`).join('\n')}`;

const LOOKS_LIKE: Readonly<Record<string, string>> = { ready: 'ok', created: 'ok', existing: 'upcoming' };

function summaryOf(lines: readonly ImportedLine[]): string {
  const counts = new Map<string, number>();
  for (const { result } of lines) counts.set(result, (counts.get(result) ?? 0) + 1);
  return [...counts].map(([result, times]) => `${times} ${result}`).join(', ') || 'nothing found';
}
