import type { Gauge } from './exposition.js';

/** The figures that a pool of `pg` keeps. */
export interface PoolUse {
  totalCount: number;
  idleCount: number;
  waitingCount: number;
  options: { max: number };
}

/** The connections of a process to Postgres, in use and idle, and the statements that wait for a connection. */
export function poolGauges({ totalCount, idleCount, waitingCount, options }: PoolUse): Gauge[] {
  return [
    {
      name: 'carillon_pool_connections',
      help: 'Connections of this process to Postgres, by state.',
      values: [
        { labels: { state: 'busy' }, value: totalCount - idleCount },
        { labels: { state: 'idle' }, value: idleCount },
      ],
    },
    {
      name: 'carillon_pool_connections_max',
      help: 'Maximum number of connections of this process to Postgres.',
      values: [{ value: options.max }],
    },
    {
      name: 'carillon_pool_waiting',
      help: 'Statements and transactions of this process that wait for a connection.',
      values: [{ value: waitingCount }],
    },
  ];
}
