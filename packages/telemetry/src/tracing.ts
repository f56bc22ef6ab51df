import type { Attributes } from '@opentelemetry/api';

/** A span that has begun. */
export interface TraceSpan {
  /** The W3C `traceparent` by which other processes continue or link this span. */
  readonly traceparent: string;
  /** Links the span to others, given by their `traceparent`. An invalid one is ignored. */
  link(traceparents: readonly string[]): void;
  end(options?: { attributes?: Attributes; error?: string; atMs?: number }): void;
}

export interface SpanOptions {
  kind?: 'internal' | 'server' | 'client' | 'consumer';
  /** The `traceparent` of the caller. Without one, or with an invalid one, the span begins a new trace. */
  parent?: string | undefined;
  /**
   * Text from which the id of the new trace is derived. Spans of different processes with the same text share a trace.
   */
  traceOf?: string;
  attributes?: Attributes;
  /** When the span began, in milliseconds since 1970; now if it is not given. */
  startedAtMs?: number;
}

/** Records spans and sends them to a collector. */
export interface Tracing {
  start(name: string, options?: SpanOptions): TraceSpan;
  /** Sends the spans that are left. */
  stop(): Promise<void>;
}

export interface TracingOptions {
  /** The address of a collector that takes OTLP over HTTP, such as `http://127.0.0.1:4318`. */
  endpoint: string;
  serviceName: string;
}

/**
 * Starts to record traces. The SDK of OpenTelemetry is imported here and nowhere else, so a process without a collector
 * never loads it.
 */
export async function openTracing(options: TracingOptions): Promise<Tracing> {
  const { OtelTracing } = await import('./otel-tracing.js');
  return new OtelTracing(options);
}
