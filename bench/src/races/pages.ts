import { apiCrew, onSite } from '../harness/carillon.js';
import { Crew } from '../harness/crew.js';
import { number } from '../harness/format.js';
import type { Goal, Race } from '../harness/race.js';
import { measurePages, type PageTime } from './measure-pages.js';
import { seedHistory } from './seed-history.js';

const KEY = 'bench-key-of-the-pages-race-0123456789';
const GOAL_MS = 200;
const SEARCH_GOAL_MS = 100;

/** Measures whether every page of the dashboard answers at once on a large installation. */
export const pages: Race = {
  name: 'pages',
  work: 'every request that a page of the dashboard makes is sent with each of its filters, to a project with 1 million schedules and 10 million runs',
  rounds: 1,
  async run({ arena, isQuick, say }) {
    const history = isQuick ? { schedules: 2_000, runs: 20_000 } : { schedules: 1_000_000, runs: 10_000_000 };
    const times = await onSite(arena, async ({ pool, env }) => {
      await seedHistory(pool, history, say);
      await arena.maintain(env.DATABASE_URL);
      const crew = await Crew.start(apiCrew({ ...env, CARILLON_ADMIN_KEY: KEY }));
      try {
        const url = /"url":"([^"]+)"/.exec(crew.outputs[0] ?? '')?.[1] ?? '';
        return await measurePages({ url, key: KEY }, 'order-0');
      } finally {
        await crew.end();
      }
    });
    const searches = times.filter(({ path }) => path.includes('q='));
    return {
      head: ['page', 'request', 'median ms', 'slowest of 7 ms'],
      rows: times.map((time) => [time.page, wordsOf(time), number(time.medianMs), number(time.maxMs)]),
      goals: [
        goalOf(`every page answers within ${GOAL_MS} ms`, times, GOAL_MS),
        goalOf(`every search answers within ${SEARCH_GOAL_MS} ms`, searches, SEARCH_GOAL_MS),
      ],
      notes: ['The time is that of a client on the same machine: query, presentation and transfer.'],
      plots: [],
      refused: [],
    };
  },
};

/** The goal that the median of each request is at most `maxMs`. Its figure is the slowest request. */
function goalOf(goal: string, times: readonly PageTime[], maxMs: number): Goal {
  const slowest = times.toSorted((a, b) => b.medianMs - a.medianMs)[0];
  return {
    goal,
    figure: slowest ? `${number(slowest.medianMs)} ms (${wordsOf(slowest)})` : 'none',
    isMet: slowest !== undefined && slowest.medianMs <= maxMs,
  };
}

/** Formats a request as text. Instants are replaced by `…`, because they differ each time. */
const wordsOf = ({ path, body }: PageTime) =>
  [
    body ? 'POST' : 'GET',
    path.replace('/v1', '').replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '…'),
    body ? JSON.stringify(body) : '',
  ]
    .join(' ')
    .trim();
