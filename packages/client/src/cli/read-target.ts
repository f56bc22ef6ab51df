import type { TargetInput } from '../types/target.js';
import { readDuration } from './times.js';
import { UsageError } from './usage-error.js';

export const TARGET_FORMS = 'https://…, queue:<name>, handler:<name>, call:<number> or heartbeat[:<grace>]';

/** Parses a target: a URL, or a type and a name such as `queue:mails`. */
export function readTarget(text: string): TargetInput {
  if (/^https?:\/\//i.test(text)) return { type: 'webhook', url: text };
  if (text === 'heartbeat') return { type: 'heartbeat' };
  const [, type, name] = /^(webhook|queue|handler|call|heartbeat):(.+)$/.exec(text) ?? [];
  switch (type) {
    case 'webhook':
      return { type, url: name as string };
    case 'queue':
      return { type, queue: name as string };
    case 'handler':
      return { type, name: name as string };
    case 'call':
      return { type, number: name as string };
    case 'heartbeat':
      return { type, grace: readDuration(name as string) };
  }
  throw new UsageError(`--target ${text}: expected ${TARGET_FORMS}`);
}
