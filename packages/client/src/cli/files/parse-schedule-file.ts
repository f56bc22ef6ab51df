import { type FileSchedule, ScheduleFile } from '@carillon/shared';
import { isNode, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { fillReferences } from './fill-references.js';

/** A schedule of a file, with the line where it begins. */
export interface FileEntry {
  path: string;
  line: number;
  schedule: FileSchedule;
}

export interface ParsedFile {
  path: string;
  /** Null if the file names no set. */
  set: string | null;
  entries: FileEntry[];
  /** `path:line: field: message`. A file with problems has no entries. */
  problems: string[];
}

type Path = readonly PropertyKey[];

/** Parses a schedule file in YAML. JSON is accepted too, because JSON is valid YAML. */
export function parseScheduleFile(
  text: string,
  path: string,
  env: Readonly<Record<string, string | undefined>>,
): ParsedFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const refuse = (problems: string[]): ParsedFile => ({ path, set: null, entries: [], problems });
  if (document.errors.length > 0)
    return refuse(
      document.errors.map((each) => `${path}:${lines.linePos(each.pos[0]).line}: ${each.message}`),
    );

  const lineOf = (at: Path): number => {
    for (let depth = at.length; depth > 0; depth--) {
      const node = document.getIn(at.slice(0, depth), true);
      if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
    }
    return 1;
  };
  const { filled, missing } = fillAll(document.toJS(), env);
  if (missing.length > 0)
    return refuse(
      missing.map(({ name, index }) => {
        const line = lineOf(['schedules', index]);
        return `${path}:${line}: schedules.${index}: the environment variable ${name} is not set`;
      }),
    );
  const parsed = ScheduleFile.safeParse(filled ?? {});
  if (!parsed.success) return refuse(parsed.error.issues.flatMap((issue) => messagesOf(issue, path, lineOf)));
  const entries = parsed.data.schedules.map((schedule, i) => ({
    path,
    line: lineOf(['schedules', i]),
    schedule,
  }));
  return { path, set: parsed.data.set ?? null, entries, problems: [] };
}

/**
 * Replaces the references to environment variables in each schedule. The file is not validated yet, so any shape must
 * be expected.
 */
function fillAll(file: unknown, env: Readonly<Record<string, string | undefined>>) {
  const { schedules } = (file ?? {}) as { schedules?: unknown };
  if (!Array.isArray(schedules)) return { filled: file, missing: [] };
  const results = schedules.map((schedule) => fillReferences(schedule, env));
  const missing = results.flatMap((result, index) => result.missing.map((name) => ({ name, index })));
  return { filled: { ...(file as object), schedules: results.map(({ schedule }) => schedule) }, missing };
}

function messagesOf(issue: z.core.$ZodIssue, path: string, lineOf: (at: Path) => number): string[] {
  const { path: at } = issue;
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map(
      (key) => `${path}:${lineOf([...at, key])}: ${fieldOf([...at, key])}: is not a known field`,
    );
  const field = fieldOf(at);
  return [`${path}:${lineOf(at)}: ${field === '' ? '' : `${field}: `}${issue.message}`];
}

const fieldOf = (at: Path) => at.map(String).join('.');
