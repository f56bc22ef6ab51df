import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../config.js';
import { readText } from '../schedule-options.js';
import { UsageError } from '../usage-error.js';
import { type FileEntry, parseScheduleFile } from './parse-schedule-file.js';

const EXTENSIONS = /\.(ya?ml|json)$/i;

/** The content of the schedule files of a command. Several files may belong to the same set. */
export interface ReadFiles {
  paths: string[];
  entries: (FileEntry & { set: string | null })[];
  sets: string[];
  /** The paths of files that name no set. */
  withoutSet: string[];
}

/** Reads schedule files, and folders of such files. Throws one error that lists every problem of every file. */
export function readScheduleFiles(given: readonly string[], env: Environment): ReadFiles {
  const paths = given.flatMap(expand);
  const files = paths.map((path) => parseScheduleFile(readText(path), path === '-' ? 'stdin' : path, env));
  const entries = files.flatMap(({ set, entries }) => entries.map((entry) => ({ ...entry, set })));
  const problems = [...files.flatMap((file) => file.problems), ...duplicates(entries)];
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
  const sets = new Set(files.flatMap(({ set }) => set ?? []));
  const withoutSet = files.filter(({ set }) => set === null).map(({ path }) => path);
  return { paths: files.map(({ path }) => path), entries, sets: [...sets], withoutSet };
}

function expand(path: string): string[] {
  if (path === '-' || !isFolder(path)) return [path];
  const names = readdirSync(path)
    .filter((name) => EXTENSIONS.test(name))
    .sort();
  if (names.length === 0) throw new UsageError(`${path} has no .yaml, .yml or .json file`);
  return names.map((name) => join(path, name));
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    throw new UsageError(`cannot read ${path}: ${(error as Error).message}`);
  }
}

function duplicates(entries: readonly FileEntry[]): string[] {
  const first = new Map<string, FileEntry>();
  return entries.flatMap((entry) => {
    const other = first.get(entry.schedule.id);
    if (other === undefined) first.set(entry.schedule.id, entry);
    return other === undefined
      ? []
      : [`${entry.path}:${entry.line}: the id ${entry.schedule.id} is also in ${other.path}:${other.line}`];
  });
}
