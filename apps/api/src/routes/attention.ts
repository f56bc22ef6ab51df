import { type AttentionList, readAttention } from '@carillon/db';
import { Attention } from '@carillon/shared';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { requireScope } from '../auth/authenticate.js';
import type { ApiContext } from '../context.js';
import { responses } from '../http/responses.js';
import { iso } from '../present/iso.js';

/** The busiest minute of the next 24 hours is listed if at least this many fires are due in it. */
const HERD_FIRES = 1_000;

/** Lists the problems that need the attention of a person. */
export const attentionRoutes =
  ({ pool, clock, forecasts }: ApiContext): FastifyPluginAsyncZod =>
  async (app) => {
    app.get(
      '/attention',
      {
        schema: {
          operationId: 'readAttention',
          summary: 'List what needs attention: a count and the first few schedules of each kind',
          tags: ['Operations'],
          response: responses({ 200: Attention }),
        },
        onRequest: requireScope('read'),
      },
      async ({ caller: { projectId } }) => {
        const fromAt = Math.floor(clock.now());
        const [attention, fires] = await Promise.all([
          readAttention(pool, { projectId, now: null }),
          forecasts.readAtOnce({ projectId, fromAt, hours: 24 }),
        ]);
        let herd: { at: string; fires: number } | null = null;
        for (const [at, count] of fires)
          if (count >= HERD_FIRES && count > (herd?.fires ?? 0)) herd = { at: iso(at), fires: count };
        return {
          failing: present(attention.failing),
          paused: present(attention.paused),
          overdue: present(attention.overdue),
          blocked: present(attention.blocked),
          breaching: present(attention.breaching),
          herd,
        };
      },
    );
  };

const present = ({ count, items }: AttentionList) => ({
  count,
  items: items.map(({ key, name, at, note }) => ({ id: key, name, at: iso(at), note })),
});
