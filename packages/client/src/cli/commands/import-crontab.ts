import type { CrontabEntry, CrontabProblem } from '@carillon/shared';
import type { Carillon } from '../../carillon.js';
import type { BulkResult } from '../../types/bulk.js';
import type { ScheduleInput } from '../../types/schedule.js';
import { command, group, type Output } from '../command.js';
import { EXIT } from '../exit-code.js';
import { ruleText } from '../in-words.js';
import { readTarget, TARGET_FORMS } from '../read-target.js';
import { readText } from '../schedule-options.js';
import { table } from '../table.js';
import { lookOf, type Terminal } from '../terminal.js';
import { shortTime } from '../times.js';
import { UsageError } from '../usage-error.js';

interface Line {
  line: number;
  id: string | null;
  result: 'ready' | BulkResult['result'] | 'not taken';
  rule: string;
  next: string | null;
  remark: string;
}

const crontab = command({
  name: 'crontab',
  summary: 'Create a schedule for each line of a crontab',
  details: `The command is not executed here. It is delivered to the target as \`payload.command\`. Importing the same file again changes
nothing. CRON_TZ is honoured; other variables are passed in the payload. @reboot and invalid lines are reported.`,
  usage: '<file>',
  words: { least: 1, most: 1 },
  options: {
    'dry-run': { type: 'boolean', about: 'only show the result; needs no API' },
    tz: {
      type: 'string',
      value: '<zone>',
      about: 'time zone of the crontab (default UTC)',
    },
    target: {
      type: 'string',
      value: '<target>',
      about: `where to deliver, required except for a dry run: ${TARGET_FORMS}`,
    },
    system: { type: 'boolean', about: 'a system crontab, with a user before each command' },
  },
  examples: [
    'crontab -l | carillon import crontab - --dry-run --tz Europe/Berlin',
    'carillon import crontab /etc/crontab --system --target queue:commands',
  ],
  async run(invocation): Promise<Output> {
    const { values, positionals, terminal } = invocation;
    const { parseCrontab } = await import('@carillon/shared');
    const target = values.target === undefined ? undefined : readTarget(values.target);
    if (!target && !values['dry-run'])
      throw new UsageError('missing target: where are the commands to be delivered? Use --target');
    const { entries, problems } = parseCrontab(readText(positionals[0] ?? ''), {
      ...(values.tz === undefined ? {} : { timezone: values.tz }),
      ...(target ? { target: target as never } : {}),
      hasUsers: values.system ?? false,
    });
    const taken = values['dry-run'] ? await preview(entries) : await create(invocation.client, entries);
    const lines = [...taken, ...problems.map(problemLine)].sort((a, b) => a.line - b.line);
    const isWhole = lines.every(({ result }) => ['ready', 'created', 'existing'].includes(result));
    return {
      json: { dryRun: values['dry-run'] ?? false, lines },
      text: linesTable(lines, terminal),
      notes: [summaryOf(lines), ...(target ? [] : ['The import itself needs --target.'])],
      exitCode: isWhole ? EXIT.ok : EXIT.failed,
    };
  },
});

const lineOf = ({ line, schedule, warnings }: CrontabEntry): Omit<Line, 'result' | 'next'> => ({
  line,
  id: schedule.id,
  rule: `${ruleText(schedule.rule)}  ${schedule.timezone ?? ''}`,
  remark: [schedule.name, ...warnings].join('; '),
});

const problemLine = ({ line, text, message }: CrontabProblem): Line => ({
  line,
  id: null,
  result: 'not taken',
  rule: text,
  next: null,
  remark: message,
});

async function preview(entries: readonly CrontabEntry[]): Promise<Line[]> {
  const { nextOccurrences, parseTiming } = await import('@carillon/shared');
  const nowAt = Date.now();
  return entries.map((entry) => {
    const parsed = parseTiming(entry.schedule as Parameters<typeof parseTiming>[0], { anchorAt: nowAt });
    const [at] = parsed.ok ? nextOccurrences(parsed.timing, nowAt, 1) : [];
    const next = at === undefined ? null : new Date(at).toISOString();
    return { ...lineOf(entry), result: 'ready', next };
  });
}

async function create(client: Carillon, entries: readonly CrontabEntry[]): Promise<Line[]> {
  if (entries.length === 0) return [];
  const answer = await client.schedules.createMany(entries.map(({ schedule }) => schedule as ScheduleInput));
  return entries.map((entry, i) => {
    const result = answer.items[i];
    if (!result) throw new Error('the API answered with fewer results than schedules');
    const errors = result.errors?.map(({ field, message }) => `${field}: ${message}`) ?? [];
    const line = lineOf(entry);
    return {
      ...line,
      result: result.result,
      next: result.nextRunAt,
      remark: [line.remark, ...errors].join('; '),
    };
  });
}

function linesTable(lines: readonly Line[], terminal: Terminal): string {
  if (lines.length === 0) return 'Nothing to import.';
  const rows = lines.map(({ line, id, result, rule, next, remark }) => [
    String(line),
    { text: result, look: lookOf(LOOKS_LIKE[result] ?? 'failed') },
    id ?? '–',
    rule,
    shortTime(next),
    remark,
  ]);
  return table(['LINE', 'RESULT', 'ID', 'RULE', 'NEXT', 'REMARK'], rows, terminal);
}

const LOOKS_LIKE: Readonly<Record<string, string>> = { ready: 'ok', created: 'ok', existing: 'upcoming' };

function summaryOf(lines: readonly Line[]): string {
  const counts = new Map<string, number>();
  for (const { result } of lines) counts.set(result, (counts.get(result) ?? 0) + 1);
  return [...counts].map(([result, times]) => `${times} ${result}`).join(', ');
}

export const importing = group({
  name: 'import',
  summary: 'Import schedules from other systems',
  commands: [crontab],
  examples: ['crontab -l | carillon import crontab - --dry-run'],
});
