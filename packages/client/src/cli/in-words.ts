import type { Slo } from '../types/alert.js';
import type { Rule } from '../types/schedule.js';
import type { Target } from '../types/target.js';

/** A rule as text: a cron rule as it was written, any other with its kind, such as `every PT5M`. */
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
    case 'heartbeat':
      return `heartbeat:${target.grace}`;
  }
}

export function sloText({ startWithin, endWithin, maxDuration, successRate }: Slo): string {
  const parts = [
    startWithin && `starts within ${startWithin}`,
    endWithin && `ends within ${endWithin}`,
    maxDuration && `takes at most ${maxDuration}`,
    successRate &&
      `succeeds ${successRate.percent}% of ${successRate.window ?? `the last ${successRate.last}`}`,
  ];
  return parts.filter(Boolean).join(', ');
}
