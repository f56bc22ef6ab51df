import { describe, expect, it } from 'vitest';
import { TargetInput } from './index.js';
import type { Target } from './plan.js';
import { targetProblem } from './target-rules.js';

const queue = (name: string): Target => ({ type: 'queue', queue: name });
const handler = (name: string): Target => ({ type: 'handler', name });
const CALL: Target = { type: 'call', number: '+441632960000', assistantId: null, phoneNumberId: null };

describe('Targets of a project', () => {
  it.each([
    ['default', {}, queue('anything'), true],
    ['billing', {}, queue('billing.due'), true],
    ['billing', {}, queue('billing'), false],
    ['billing', {}, queue('billing2.due'), false],
    ['billing', {}, queue('schedule-due'), false],
    ['billing', { queues: ['schedule-due'] }, queue('schedule-due'), true],
    ['default', {}, handler('import'), true],
    ['default', { handlers: ['export'] }, handler('import'), false],
    ['billing', {}, handler('import'), false],
    ['billing', {}, handler('noop'), true],
    ['billing', { handlers: ['import'] }, handler('import'), true],
    ['billing', { handlers: ['*'] }, handler('import'), true],
    ['default', {}, CALL, true],
    ['default', { calls: false }, CALL, false],
    ['billing', {}, CALL, false],
    ['billing', { calls: true }, CALL, true],
    ['billing', {}, { type: 'webhook', url: 'https://example.com/', headers: {} } as const, true],
  ])('the project %s with the limits %j may use the target %j: %s', (project, limits, target, isAllowed) => {
    expect(targetProblem(target, { project, limits }) === null).toBe(isAllowed);
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
