import { parseTiming } from '@carillon/recurrence';
import type { ScheduleInput } from './contracts/schedule.js';
import type { Target } from './plan.js';
import { unusedId } from './unused-id.js';

/** A line of a crontab as a schedule. Carillon does not run the command: the payload carries it to the target. */
export interface CrontabEntry {
  line: number;
  schedule: ScheduleInput & { id: string };
  warnings: string[];
}

/** A line that can't be imported, with the reason. */
export interface CrontabProblem {
  line: number;
  text: string;
  message: string;
}

export interface CrontabOptions {
  /** The time zone of the machine that the crontab comes from. CRON_TZ in the file takes precedence. */
  timezone?: string;
  target?: Target;
  /** A system crontab (/etc/crontab, /etc/cron.d) names a user before the command. */
  hasUsers?: boolean;
}

export interface Crontab {
  entries: CrontabEntry[];
  problems: CrontabProblem[];
}

/** Reads a crontab. The same file gives the same ids, so that importing it again changes nothing. */
export function parseCrontab(text: string, options: CrontabOptions = {}): Crontab {
  const crontab: Crontab = { entries: [], problems: [] };
  const environment: Record<string, string> = {};
  const taken = new Set<string>();
  text.split(/\r?\n/).forEach((raw, i) => {
    const content = raw.trim();
    if (content === '' || content.startsWith('#')) return;
    const assigned = readAssignment(content);
    if (assigned) {
      environment[assigned.name] = assigned.value;
      return;
    }
    const read = readEntry(content, { ...options, environment, taken });
    if (typeof read === 'string') crontab.problems.push({ line: i + 1, text: content, message: read });
    else crontab.entries.push({ line: i + 1, ...read });
  });
  return crontab;
}

function readAssignment(content: string): { name: string; value: string } | null {
  const match = /^(?:"([^"]+)"|'([^']+)'|([A-Za-z_]\w*))\s*=\s*(.*)$/.exec(content);
  if (!match) return null;
  const value = (match[4] as string).trim();
  return { name: (match[1] ?? match[2] ?? match[3]) as string, value: value.replace(/^(["'])(.*)\1$/, '$2') };
}

interface EntryContext extends CrontabOptions {
  environment: Readonly<Record<string, string>>;
  taken: Set<string>;
}

/** A schedule, or the reason why the line can't be imported. */
function readEntry(content: string, context: EntryContext): Omit<CrontabEntry, 'line'> | string {
  const split = splitTime(content);
  if (typeof split === 'string') return split;
  const { rule, rest } = split;
  const [, user, afterUser] = context.hasUsers ? (/^(\S+)\s+(.*)$/.exec(rest) ?? []) : [];
  const commandText = context.hasUsers ? (afterUser ?? '') : rest;
  if (commandText === '') return context.hasUsers ? 'has no user and command' : 'has no command';
  const { command, input } = splitInput(commandText);
  // CRON_TZ decides when a line runs. In most crons TZ only sets the environment of the command, but people who set it
  // usually mean the schedule too.
  const { CRON_TZ, TZ, MAILTO: _, ...variables } = context.environment;
  const timezone = CRON_TZ ?? TZ ?? context.timezone ?? 'UTC';
  const parsed = parseTiming({ rule, timezone }, { anchorAt: 0 });
  if (!parsed.ok) return parsed.problems.map(({ field, message }) => `${field}: ${message}`).join('; ');
  const payload = {
    command,
    ...(input === null ? {} : { input }),
    ...(user === undefined ? {} : { user }),
    ...(Object.keys(variables).length === 0 ? {} : { environment: variables }),
  };
  const { target } = context;
  const schedule = {
    id: unusedId(`cron-${/[a-z0-9]/i.test(command) ? command : 'command'}`, context.taken),
    name: command.slice(0, 256),
    tags: ['crontab'],
    rule,
    timezone,
    payload,
    ...(target ? { target } : {}),
  };
  return { schedule, warnings: parsed.warnings };
}

function splitTime(content: string): { rule: { cron: string } | { every: string }; rest: string } | string {
  const every = /^@every\s+(\S+)\s*(.*)$/i.exec(content);
  if (every) {
    const duration = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(every[1] as string);
    if (!duration) return `@every ${every[1]}: expected a duration such as 1h30m`;
    return { rule: { every: `PT${(every[1] as string).toUpperCase()}` }, rest: every[2] as string };
  }
  const nickname = /^(@\w+)\s*(.*)$/.exec(content);
  if (nickname?.[1]?.toLowerCase() === '@reboot') {
    return '@reboot names no time: it cannot become a schedule';
  }
  if (nickname) return { rule: { cron: nickname[1] as string }, rest: nickname[2] as string };
  const fields = /^((?:\S+\s+){4}\S+)\s*(.*)$/.exec(content);
  if (!fields) return 'expected five fields and a command';
  return { rule: { cron: (fields[1] as string).replace(/\s+/g, ' ') }, rest: fields[2] as string };
}

/** An unescaped % ends the command. The rest is its standard input, in which each further % is a new line. */
function splitInput(text: string): { command: string; input: string | null } {
  const [command = '', ...input] = text.split(/(?<!\\)%/).map((part) => part.replaceAll('\\%', '%'));
  return { command: command.trim(), input: input.length === 0 ? null : input.join('\n') };
}
