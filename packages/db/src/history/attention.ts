import type { Database } from '../database.js';
import {
  ATTENTION_SOURCES,
  type AttentionKind,
  MAX_ATTENTION_COUNT,
} from '../schedules/attention-sources.js';
import { statement, type Values } from '../statement.js';

/** Number of schedules that are listed for each reason. */
const SCHEDULES_PER_REASON = 5;

/** A schedule that a person should look at. */
interface AttentionItem {
  key: string;
  name: string | null;
  at: number;
  note: string | null;
}

export interface AttentionList {
  count: number;
  items: AttentionItem[];
}

interface Row {
  count: number;
  items: { key: string; name: string | null; at: string; note: string | null }[] | null;
}

/** Counts the schedules that need attention for one reason, up to a limit, and lists the first five. */
const listing = (kind: AttentionKind) =>
  statement<Values, Row>(
    `read-attention-${kind}`,
    `with matching as materialized (${ATTENTION_SOURCES[kind]} limit ${MAX_ATTENTION_COUNT})
     select (select count(*) from matching) as count,
            (select json_agg(json_build_object('key', s.key, 'name', s.name, 'at', shown.at, 'note', shown.note) order by shown.n)
             from (select id, at, note, row_number() over () as n from matching limit ${SCHEDULES_PER_REASON}) as shown
             join carillon.schedules s on s.id = shown.id and s.project_id = :projectId) as items`,
  );

const LISTINGS = {
  failing: listing('failing'),
  paused: listing('paused'),
  overdue: listing('overdue'),
  blocked: listing('blocked'),
  breaching: listing('breaching'),
};

export type Attention = Record<AttentionKind, AttentionList>;

/** Lists what needs attention in a project: counts, and the first few of each kind. */
export async function readAttention(
  db: Database,
  { projectId, now }: { projectId: number; now: number | null },
): Promise<Attention> {
  const read = async (kind: AttentionKind): Promise<AttentionList> => {
    const [row] = await LISTINGS[kind](db, { projectId, now });
    const items = (row?.items ?? []).map((item) => ({ ...item, at: Date.parse(item.at) }));
    return { count: row?.count ?? 0, items };
  };
  const [failing, paused, overdue, blocked, breaching] = await Promise.all([
    read('failing'),
    read('paused'),
    read('overdue'),
    read('blocked'),
    read('breaching'),
  ]);
  return { failing, paused, overdue, blocked, breaching };
}
