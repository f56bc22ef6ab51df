import { ServerSentReader } from './server-sent.js';
import { CarillonError } from './transport/carillon-error.js';
import { pauseFor } from './transport/pause-for.js';
import type { Transport } from './transport/transport.js';
import type { CarillonEvent, RunEvent, ScheduleEvent } from './types/event.js';
import type { RunStatus } from './types/run.js';

export interface EventOptions {
  signal?: AbortSignal | undefined;
  /** The id of the event after which the stream resumes. Default: only events from now on. */
  lastEventId?: string | undefined;
  /** Only events of these schedules. */
  schedules?: readonly string[] | undefined;
  /** Only events of these types. */
  types?: readonly (RunEvent | ScheduleEvent)['type'][] | undefined;
  /** Only events of runs that had one of these statuses when the event happened. */
  statuses?: readonly RunStatus[] | undefined;
  /** If true, the API sends at most one `digest` event a second, a summary, instead of every event. */
  digest?: boolean | undefined;
  /**
   * Called after a lost connection, before the client reconnects. `error` is null if the open stream broke off, ended
   * or fell silent.
   */
  onReconnect?: ((error: CarillonError | null) => void) | undefined;
}

/** The API sends a heartbeat every 15 s. After three missed heartbeats the connection counts as lost. */
const HEARTBEAT_TIMEOUT_MS = 45_000;
const RECONNECT_DELAY_MS = 1_000;
const MAX_RECONNECT_DELAY_MS = 5_000;
/**
 * Number of event ids that the client remembers in order to drop repeated events. After a reconnect, the API may repeat
 * all events since the claim of the oldest run in flight. It sends those of at most 5,000 runs, two for each run.
 */
const MAX_SEEN_IDS = 10_000;

/** Streams events without end. Reconnects after a lost connection and resumes where it broke off. */
export async function* followEvents(
  transport: Transport,
  { signal, lastEventId = '', onReconnect, ...wanted }: EventOptions = {},
): AsyncGenerator<CarillonEvent, void, undefined> {
  let reader = new ServerSentReader({ lastEventId, retryMs: RECONNECT_DELAY_MS });
  const seen = new Set<string>();
  for (let failures = 0; ; ) {
    let lost: CarillonError | null = null;
    try {
      for await (const event of oneConnection(transport, reader, { signal, ...wanted })) {
        failures = 0;
        if (isNew(seen, event.data.id)) yield event;
      }
    } catch (error) {
      lost = lostConnection(error);
    }
    signal?.throwIfAborted();
    onReconnect?.(lost);
    // Drop the incomplete message of the lost connection.
    reader = new ServerSentReader(reader);
    const base = Math.max(reader.retryMs, lost?.retryAfterMs ?? 0);
    const delayMs = Math.min(MAX_RECONNECT_DELAY_MS, base * 2 ** Math.min(failures++, 10));
    await pauseFor(delayMs * (0.5 + Math.random() / 2), signal);
  }
}

async function* oneConnection(
  transport: Transport,
  reader: ServerSentReader,
  { signal, schedules, types, statuses, digest }: EventOptions,
): AsyncGenerator<CarillonEvent, void, undefined> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), HEARTBEAT_TIMEOUT_MS);
  const { lastEventId } = reader;
  try {
    const response = await transport.open({
      method: 'GET',
      path: '/v1/events',
      query: {
        schedule: schedules?.join(),
        type: types?.join(),
        status: statuses?.join(),
        digest: digest ? '1s' : undefined,
      },
      headers: { accept: 'text/event-stream', ...(lastEventId ? { 'last-event-id': lastEventId } : {}) },
      signal: signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal,
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
    // Closes the connection, also if the consumer leaves its loop early.
    timeout.abort();
  }
}

function isNew(seen: Set<string>, id: string): boolean {
  if (seen.has(id)) return false;
  seen.add(id);
  // A Set keeps insertion order, so the first id is the oldest.
  const [oldest] = seen;
  if (seen.size > MAX_SEEN_IDS && oldest !== undefined) seen.delete(oldest);
  return true;
}

/**
 * Returns the error if a reconnect may help, or null if the open stream broke off or fell silent. If a reconnect cannot
 * help, throws the error.
 */
function lostConnection(error: unknown): CarillonError | null {
  if (!(error instanceof CarillonError)) {
    if (error instanceof TypeError || (error instanceof Error && error.name === 'AbortError')) return null;
    throw error;
  }
  const { kind, status } = error;
  if (kind !== 'refused' || status === 429 || (status !== null && status >= 500)) return error;
  throw error;
}
