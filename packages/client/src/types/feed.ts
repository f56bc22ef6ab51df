/** An iCal feed shows one schedule, the schedules with a tag, or, without either, the whole project. */
export interface FeedInput {
  name: string;
  schedule?: string | undefined;
  tag?: string | undefined;
}

export interface Feed {
  id: number;
  name: string;
  schedule: string | null;
  tag: string | null;
  createdAt: string;
  lastUsedAt: string | null;
}

/** A feed with its token and its URL. Both are shown only once. */
export type NewFeed = Feed & { token: string; url: string };
