import type { Slo } from '@carillon/client';

/** Service level objectives as the texts of a form. An empty text means that there is no such objective. */
export interface Objectives {
  startWithin: string;
  startGrace: string;
  endWithin: string;
  endGrace: string;
  maxDuration: string;
  percent: string;
  /** A number of runs, or a duration. */
  over: string;
}

export const NO_OBJECTIVES: Objectives = {
  startWithin: '',
  startGrace: '',
  endWithin: '',
  endGrace: '',
  maxDuration: '',
  percent: '',
  over: '20',
};

const TIMED = ['startWithin', 'startGrace', 'endWithin', 'endGrace', 'maxDuration'] as const;

/** The objectives as a request; null if all are empty. */
export function sloOf(objectives: Objectives): Slo | null {
  const { percent, over } = objectives;
  const counted = /^\d+$/.test(over) ? { last: Number(over) } : { window: over };
  const slo: Slo = {
    ...Object.fromEntries(
      TIMED.filter((name) => objectives[name] !== '').map((name) => [name, objectives[name]]),
    ),
    ...(percent === '' ? {} : { successRate: { percent: Number(percent), ...counted } }),
  };
  return Object.keys(slo).length === 0 ? null : slo;
}

export function objectivesOf(slo: Slo | null): Objectives {
  if (!slo) return NO_OBJECTIVES;
  const { successRate: rate } = slo;
  return {
    ...NO_OBJECTIVES,
    ...Object.fromEntries(TIMED.map((name) => [name, slo[name] ?? ''])),
    percent: rate ? String(rate.percent) : '',
    over: rate ? String(rate.last ?? rate.window) : NO_OBJECTIVES.over,
  };
}
