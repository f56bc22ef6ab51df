import type { Rule } from '../types/schedule.js';
import type { Target } from '../types/target.js';

/** A rule in the form in which it was given. */
export function ruleText(rule: Rule): string {
  const [[kind, text] = ['', '']] = Object.entries(rule).filter(([, value]) => value !== undefined);
  return kind === 'cron' ? String(text) : `${kind} ${String(text).replaceAll('\n', ' ')}`;
}

export function targetText(target: Target): string {
  switch (target.type) {
    case 'webhook':
      return target.url;
    case 'queue':
      return `queue:${target.queue}`;
    case 'handler':
      return `handler:${target.name}`;
    case 'call':
      return `call:${target.number}`;
  }
}
