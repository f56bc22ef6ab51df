import { parse } from 'yaml';
import { collectDrafts, type ImportResult, type ReadItem } from './collect-drafts.js';
import { noEquivalent } from './no-equivalent.js';

interface Line {
  number: number;
  text: string;
}

const LINE = /^((?:[0-9*/,-]+\s+){4}[0-9*/,-]+)\s+(\S+)(?:\s+\?(\S+))?(?:\s+(\{.*\}))?$/;
const OPTIONS = ['id', 'fill', 'max', 'queue', 'priority', 'jobKey', 'jobKeyMode'];
/** The largest number of missed occurrences that a schedule of Carillon can catch up. */
const MAX_CAUGHT_UP = 1_000;

/** Turns a crontab of graphile-worker into schedules. */
export function importGraphileWorker(text: string): ImportResult {
  const lines = text
    .split(/\r?\n/)
    .map((line, i): Line => ({ number: i + 1, text: line.trim() }))
    .filter(({ text: content }) => content !== '' && !content.startsWith('#'));
  return collectDrafts('graphile', lines, {
    sourceOf: ({ number }) => `line ${number}`,
    read: ({ text: content }) => readLine(content),
  });
}

function readLine(text: string): ReadItem {
  const [, fields, task, query = '', payloadText] = LINE.exec(text) ?? [];
  if (fields === undefined || task === undefined) {
    const reason = 'expected five fields, a task, and optionally ?options and a payload in braces';
    return { job: text, rule: text, reason };
  }
  const cron = fields.replace(/\s+/g, ' ');
  const options = new URLSearchParams(query);
  const job = options.get('id') ?? task;
  const unknown = [...options.keys()].find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined)
    return { job, rule: cron, reason: `?${unknown} is not an option of graphile-worker` };
  const payload = readPayload(payloadText);
  if (payload === undefined) return { job, rule: cron, reason: `the payload is not JSON5: ${payloadText}` };
  const max = Number(options.get('max') ?? 25);
  return {
    job,
    rule: cron,
    remarks: remarksOf(options),
    schedule: {
      rule: { cron },
      timezone: 'UTC',
      misfire: options.has('fill') ? { policy: 'all', limit: MAX_CAUGHT_UP } : { policy: 'skip' },
      retry: { maxAttempts: Math.min(100, Math.max(1, max)) },
      payload: { task, ...(payload === null ? {} : { payload }) },
    },
  };
}

/**
 * Parses a payload, which is written in JSON5. A YAML parser accepts the JSON5 syntax that payloads use: objects,
 * unquoted names and single quotes. Returns undefined for an invalid payload.
 */
function readPayload(text: string | undefined): unknown {
  if (text === undefined) return null;
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

function remarksOf(options: URLSearchParams): string[] {
  const fill = options.get('fill');
  const rest = ['queue', 'priority', 'jobKey', 'jobKeyMode'].filter((name) => options.has(name));
  return [
    ...(fill === null
      ? []
      : [
          noEquivalent(
            `fill=${fill}`,
            `every missed occurrence is caught up, whatever its age, up to ${MAX_CAUGHT_UP}`,
          ),
        ]),
    ...rest.map((name) =>
      noEquivalent(`${name}=${options.get(name)}`, 'the receiver has to take care of it'),
    ),
  ];
}
