import { describe, expect, it } from 'vitest';
import { TargetInput } from './index.js';
import type { Target } from './plan.js';
import { targetProblem } from './target-rules.js';

const queue = (name: string): Target => ({ type: 'queue', queue: name });
const handler = (name: string): Target => ({ type: 'handler', name });
const CALL: Target = { type: 'call', number: '+441632960000', assistantId: null, phoneNumberId: null };

describe('Targets of a project', () => {
  it.each([
    ['default', {}, 'may use', queue('anything')],
    ['billing', {}, 'may use', queue('billing.due')],
    ['billing', {}, 'may not use', queue('billing')],
    ['billing', {}, 'may not use', queue('billing2.due')],
    ['billing', {}, 'may not use', queue('schedule-due')],
    ['billing', { queues: ['schedule-due'] }, 'may use', queue('schedule-due')],
    ['default', {}, 'may use', handler('import')],
    ['default', { handlers: ['export'] }, 'may not use', handler('import')],
    ['billing', {}, 'may not use', handler('import')],
    ['billing', {}, 'may use', handler('noop')],
    ['billing', { handlers: ['import'] }, 'may use', handler('import')],
    ['billing', { handlers: ['*'] }, 'may use', handler('import')],
    ['default', {}, 'may use', CALL],
    ['default', { calls: false }, 'may not use', CALL],
    ['billing', {}, 'may not use', CALL],
    ['billing', { calls: true }, 'may use', CALL],
    ['billing', {}, 'may use', { type: 'webhook', url: 'https://example.com/', headers: {} } as const],
  ])('the project %s with the limits %j %s the target %j', (project, limits, verb, target) => {
    expect(targetProblem(target, { project, limits }) === null).toBe(verb === 'may use');
  });

  it.each([
    'carillon-bells',
    'carillon-ticks',
    'carillon-anything',
    'schedule-requests',
    'schedule-rejected',
  ])('the queue %s is Carillon’s own, and no target may name it', (name) => {
    const parsed = TargetInput.safeParse(queue(name));
    expect(parsed.error?.issues[0]?.message).toContain('is one of Carillon’s own queues');
    expect(TargetInput.safeParse(queue('schedule-due')).success).toBe(true);
  });
});
