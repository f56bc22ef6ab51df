import { ADMIN_KEY, eventually } from '@carillon/testkit';

export interface Seen {
  id: string | null;
  type: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert the shape of the data.
  data: any;
}

export interface ListenOptions {
  key?: string;
  /** Sent as Last-Event-ID. */
  since?: string | undefined;
  /** Such as `?type=run.failed`. */
  query?: string;
}

/** A listener that stores the events that it receives. */
export async function listen(url: string, { key = ADMIN_KEY, since, query = '' }: ListenOptions = {}) {
  const abort = new AbortController();
  const response = await fetch(`${url}/v1/events${query}`, {
    headers: { authorization: `Bearer ${key}`, ...(since === undefined ? {} : { 'last-event-id': since }) },
    signal: abort.signal,
  });
  const seen: Seen[] = [];
  const state = { lastId: null as string | null, hasEnded: false };
  const read = async () => {
    let rest = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body as ReadableStream<Uint8Array>) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
      rest = parts.pop() ?? '';
      for (const part of parts) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(part)?.[1];
        state.lastId = field('id') ?? state.lastId;
        const data = field('data');
        if (data) seen.push({ id: field('id') ?? null, type: field('event') ?? '', data: JSON.parse(data) });
      }
    }
  };
  const end = () => {
    state.hasEnded = true;
  };
  read().then(end, end);
  await eventually(() => state.lastId !== null || state.hasEnded);
  return { response, seen, state, close: () => abort.abort() };
}
