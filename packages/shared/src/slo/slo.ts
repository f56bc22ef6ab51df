import { formatDuration, type Problem, parseDuration } from '@carillon/recurrence';
import type { z } from 'zod';
import type { ScheduleInput } from '../contracts/schedule.js';
import type { SloAnswer } from '../contracts/slo.js';
import type { Plan } from '../plan.js';

/** The objectives of a schedule, in milliseconds. Objectives that it does not have are null. */
export interface Slo {
  startWithinMs: number | null;
  startGraceMs: number;
  endWithinMs: number | null;
  endGraceMs: number;
  maxDurationMs: number | null;
  /** Either `last` (a number of runs) or `windowMs` is set. */
  successRate: { percent: number; last: number | null; windowMs: number | null } | null;
}

/** The default objective of a heartbeat: each occurrence must succeed, because a heartbeat exists to be watched. */
const EVERY_PING: Slo = {
  startWithinMs: null,
  startGraceMs: 0,
  endWithinMs: null,
  endGraceMs: 0,
  maxDurationMs: null,
  successRate: { percent: 100, last: 1, windowMs: null },
};

const ms = (text: string | undefined) => (text === undefined ? null : parseDuration(text));

/** The objectives that a request asks for. */
export function sloOf({ slo, target }: Pick<ScheduleInput, 'slo' | 'target'>): Slo | null {
  if (!slo) return target?.type === 'heartbeat' ? EVERY_PING : null;
  const rate = slo.successRate;
  return {
    startWithinMs: ms(slo.startWithin),
    startGraceMs: ms(slo.startGrace) ?? 0,
    endWithinMs: ms(slo.endWithin),
    endGraceMs: ms(slo.endGrace) ?? 0,
    maxDurationMs: ms(slo.maxDuration),
    successRate: rate ? { percent: rate.percent, last: rate.last ?? null, windowMs: ms(rate.window) } : null,
  };
}

/**
 * Refuses objectives for the start, the end and the duration of a heartbeat, because its fields `startGrace` and
 * `grace` say when it is late.
 */
export function heartbeatProblems({ target, slo }: Pick<Plan, 'target' | 'slo'>): Problem[] {
  if (target.type !== 'heartbeat' || !slo) return [];
  const timed = {
    startWithin: ['target.startGrace', slo.startWithinMs],
    endWithin: ['target.grace', slo.endWithinMs],
    maxDuration: ['target.grace', slo.maxDurationMs],
  } as const;
  return Object.entries(timed).flatMap(([field, [instead, value]]) =>
    value === null ? [] : [{ field: `slo.${field}`, message: `a heartbeat has ${instead} for this` }],
  );
}

/** The objectives in the form of a request. */
export function presentSlo(slo: Slo | null): z.infer<typeof SloAnswer> | null {
  if (!slo) return null;
  const { startWithinMs, startGraceMs, endWithinMs, endGraceMs, maxDurationMs, successRate } = slo;
  return {
    ...(startWithinMs === null ? {} : { startWithin: formatDuration(startWithinMs) }),
    ...(startGraceMs === 0 ? {} : { startGrace: formatDuration(startGraceMs) }),
    ...(endWithinMs === null ? {} : { endWithin: formatDuration(endWithinMs) }),
    ...(endGraceMs === 0 ? {} : { endGrace: formatDuration(endGraceMs) }),
    ...(maxDurationMs === null ? {} : { maxDuration: formatDuration(maxDurationMs) }),
    ...(successRate === null ? {} : { successRate: presentRate(successRate) }),
  };
}

const presentRate = ({ percent, last, windowMs }: NonNullable<Slo['successRate']>) => ({
  percent,
  ...(last === null ? {} : { last }),
  ...(windowMs === null ? {} : { window: formatDuration(windowMs) }),
});
