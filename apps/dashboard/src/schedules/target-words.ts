import type { Target } from '@carillon/client';
import { durationWords } from '../format/time.js';

/** A target in one line: host and path of a webhook, otherwise the name of the queue or handler. */
export function targetWords(target: Target): string {
  switch (target.type) {
    case 'webhook': {
      const { host, pathname } = new URL(target.url);
      return `${host}${pathname === '/' ? '' : pathname}`;
    }
    case 'queue':
      return `queue ${target.queue}`;
    case 'handler':
      return `handler ${target.name}`;
    case 'call':
      return `call ${target.number}`;
    case 'heartbeat':
      return `a ping within ${durationWords(target.grace)}`;
  }
}
