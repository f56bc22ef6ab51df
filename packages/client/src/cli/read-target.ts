import type { TargetInput } from '../types/target.js';
import { UsageError } from './usage-error.js';

export const TARGET_FORMS = 'https://…, queue:<name>, handler:<name> or call:<number>';

/** A target as it is typed: an address, or a kind and a name. */
export function readTarget(text: string): TargetInput {
  if (/^https?:\/\//i.test(text)) return { type: 'webhook', url: text };
  const [, type, name] = /^(webhook|queue|handler|call):(.+)$/.exec(text) ?? [];
  switch (type) {
    case 'webhook':
      return { type, url: name as string };
    case 'queue':
      return { type, queue: name as string };
    case 'handler':
      return { type, name: name as string };
    case 'call':
      return { type, number: name as string };
  }
  throw new UsageError(`--target ${text}: expected ${TARGET_FORMS}`);
}
