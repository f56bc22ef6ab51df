import { readText } from '../schedule-options.js';
import { findCronCalls } from './find-cron-calls.js';
import type { NodeCronTask } from './node-cron.js';
import { parseDocuments } from './read-documents.js';
import { asFields } from './read-fields.js';

/** Reads the tasks of node-cron from YAML and JSON lists, and from the calls in source files. */
export function readNodeCron(paths: readonly string[]): NodeCronTask[] {
  return paths.flatMap((path) => {
    const text = readText(path);
    if (!/\.(ya?ml|jsonl?)$/i.test(path) && path !== '-') return findCronCalls(text, path);
    return parseDocuments(text, path)
      .flat()
      .map((task, i) => ({ source: `${path} ${i + 1}`, fields: asFields(task) }));
  });
}
