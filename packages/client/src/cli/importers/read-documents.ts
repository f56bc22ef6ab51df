import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { readText } from '../schedule-options.js';
import { UsageError } from '../usage-error.js';

const EXTENSIONS = /\.(ya?ml|jsonl?|ndjson)$/i;

/**
 * Reads files and folders of YAML or JSON. A file may hold several documents: in YAML separated by `---`, in JSON one
 * per line.
 */
export function readDocuments(paths: readonly string[]): unknown[] {
  return paths.flatMap(expand).flatMap((path) => parseDocuments(readText(path), path));
}

function expand(path: string): string[] {
  if (path === '-') return [path];
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new UsageError(`cannot read ${path}: there is no such file`);
  if (!stats.isDirectory()) return [path];
  return readdirSync(path)
    .filter((name) => EXTENSIONS.test(name))
    .sort()
    .map((name) => join(path, name));
}

export function parseDocuments(text: string, path: string): unknown[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  // Exports of databases hold one JSON object per line, which is not YAML.
  if (lines.length > 1 && lines.every((line) => line.trim().startsWith('{')))
    return lines.map((line) => parseJson(line, path));
  // A shell loop over a command, such as `aws scheduler get-schedule`, prints JSON objects without a separator.
  const separated = text.replace(/^\}[ \t]*\r?\n(?=\{)/gm, '}\n---\n');
  const documents = parseAllDocuments(separated, { prettyErrors: true });
  if (!Array.isArray(documents)) return [];
  const [error] = documents.flatMap(({ errors }) => errors);
  if (error) throw new UsageError(`${path}: ${error.message}`);
  return documents
    .map((document) => document.toJS())
    .filter((value) => value !== null && value !== undefined);
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${path}: ${(error as Error).message}`);
  }
}
