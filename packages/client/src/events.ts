import { ServerSentReader } from './server-sent.js';
import { CarillonError } from './transport/carillon-error.js';
import { pauseFor } from './transport/pause-for.js';
import type { Transport } from './transport/transport.js';
import type { CarillonEvent } from './types/event.js';

export interface EventOptions {
  signal?: AbortSignal | undefined;
  /** Begin with what happened after this event; without it, with what happens from now on. */
  lastEventId?: string | undefined;
  /** Called when the connection was lost, before it is made anew. */
  onReconnect?: ((error: CarillonError | null) => void) | undefined;
}

/** The API says something every 15 s: one that has been quiet for three times that is not there any more. */
const QUIET_MS = 45_000;
const RECONNECT_MS = 1_000;
const LONGEST_RECONNECT_MS = 5_000;
/** Events come at least once. A reconnect repeats a batch at the most. */
const REMEMBERED = 10_000;

/** What happens, as it happens. Goes on for ever: a lost connection is made anew where it broke off. */
export async function* followEvents(
  transport: Transport,
  { signal, lastEventId = '', onReconnect }: EventOptions = {},
): AsyncGenerator<CarillonEvent, void, undefined> {
  let reader = new ServerSentReader({ lastEventId, retryMs: RECONNECT_MS });
  const seen = new Set<string>();
  for (let failures = 0; ; ) {
    let lost: CarillonError | null = null;
    try {
      for await (const event of oneConnection(transport, reader, signal)) {
        failures = 0;
        if (isNew(seen, event.data.id)) yield event;
      }
    } catch (error) {
      lost = lostConnection(error);
    }
    signal?.throwIfAborted();
    onReconnect?.(lost);
    // What the connection left half said is not completed by the next one.
    reader = new ServerSentReader(reader);
    const base = Math.max(reader.retryMs, lost?.retryAfterMs ?? 0);
    const delayMs = Math.min(LONGEST_RECONNECT_MS, base * 2 ** Math.min(failures++, 10));
    await pauseFor(delayMs * (0.5 + Math.random() / 2), signal);
  }
}

async function* oneConnection(
  transport: Transport,
  reader: ServerSentReader,
  signal: AbortSignal | undefined,
): AsyncGenerator<CarillonEvent, void, undefined> {
  const quiet = new AbortController();
  const timer = setTimeout(() => quiet.abort(), QUIET_MS);
  const { lastEventId } = reader;
  try {
    const response = await transport.open({
      method: 'GET',
      path: '/v1/events',
      headers: { accept: 'text/event-stream', ...(lastEventId ? { 'last-event-id': lastEventId } : {}) },
      signal: signal ? AbortSignal.any([signal, quiet.signal]) : quiet.signal,
    });
    const decoder = new TextDecoder();
    for await (const bytes of response.body ?? []) {
      timer.refresh();
      for (const { type, data } of reader.read(decoder.decode(bytes as Uint8Array, { stream: true }))) {
        yield { type, data: JSON.parse(data), lastEventId: reader.lastEventId } as CarillonEvent;
      }
    }
  } finally {
    clearTimeout(timer);
    // Also where whoever reads has had enough: the connection is not left open.
    quiet.abort();
  }
}

function isNew(seen: Set<string>, id: string): boolean {
  if (seen.has(id)) return false;
  seen.add(id);
  // Sets keep the order in which things were added: the first is the oldest.
  const [oldest] = seen;
  if (seen.size > REMEMBERED && oldest !== undefined) seen.delete(oldest);
  return true;
}

/** What may be another connection away; the rest is thrown. */
function lostConnection(error: unknown): CarillonError | null {
  if (!(error instanceof CarillonError)) {
    if (error instanceof TypeError || (error instanceof Error && error.name === 'AbortError')) return null;
    throw error;
  }
  const { kind, status } = error;
  if (kind !== 'refused' || status === 429 || (status !== null && status >= 500)) return error;
  throw error;
}
