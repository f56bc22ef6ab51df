import { createHash } from 'node:crypto';
import {
  type Context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, RandomIdGenerator } from '@opentelemetry/sdk-trace-base';
import type { SpanOptions, TraceSpan, Tracing, TracingOptions } from './tracing.js';

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
};
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
/** OpenTelemetry drops the links of a span beyond this number. */
const MAX_LINKS = 128;
/** Time to send the last spans when the process stops. */
const STOP_TIMEOUT_MS = 1_500;

/**
 * Generates random ids, and lets a caller choose the id of the next trace. The tracer asks for a trace id while it
 * starts a span, so `nextTraceId` must be set just before.
 */
class ChosenIds extends RandomIdGenerator {
  nextTraceId: string | null = null;
  readonly #random = new RandomIdGenerator();

  override generateTraceId = () => {
    const chosen = this.nextTraceId ?? this.#random.generateTraceId();
    this.nextTraceId = null;
    return chosen;
  };
}

/**
 * Records spans with OpenTelemetry. The sampler and the headers for the collector come from the standard OTEL_
 * variables.
 */
export class OtelTracing implements Tracing {
  readonly #ids = new ChosenIds();
  readonly #provider: BasicTracerProvider;
  readonly #tracer: Tracer;

  constructor({ endpoint, serviceName }: TracingOptions) {
    const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` });
    this.#provider = new BasicTracerProvider({
      resource: resourceFromAttributes({ 'service.name': serviceName }),
      idGenerator: this.#ids,
      spanProcessors: [new BatchSpanProcessor(exporter)],
    });
    this.#tracer = this.#provider.getTracer('carillon');
  }

  start(name: string, options: SpanOptions = {}): TraceSpan {
    const { kind = 'internal', parent, traceOf, attributes = {}, startedAtMs } = options;
    const context = contextOf(parent);
    if (traceOf !== undefined) this.#ids.nextTraceId = traceIdOf(traceOf);
    const span = this.#tracer.startSpan(
      name,
      { kind: KINDS[kind], attributes, ...(startedAtMs === undefined ? {} : { startTime: startedAtMs }) },
      context,
    );
    return new OtelSpan(span);
  }

  /** Sends the last spans. A collector that does not answer must not delay the end of the process. */
  async stop(): Promise<void> {
    const deadline = new Promise<void>((resolve) => setTimeout(resolve, STOP_TIMEOUT_MS).unref());
    await Promise.race([this.#provider.shutdown(), deadline]);
  }
}

class OtelSpan implements TraceSpan {
  constructor(private readonly span: Span) {}

  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.span.spanContext();
    return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  }

  link(traceparents: readonly string[]): void {
    for (const text of traceparents.slice(0, MAX_LINKS)) {
      const context = parseTraceparent(text);
      if (context) this.span.addLink({ context });
    }
  }

  end({ attributes = {}, error, atMs }: Parameters<TraceSpan['end']>[0] = {}): void {
    this.span.setAttributes(attributes);
    if (error !== undefined) this.span.setStatus({ code: SpanStatusCode.ERROR, message: error });
    this.span.end(atMs);
  }
}

const traceIdOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32);

function contextOf(parent: string | undefined): Context {
  const remote = parent === undefined ? null : parseTraceparent(parent);
  return remote ? trace.setSpanContext(ROOT_CONTEXT, remote) : ROOT_CONTEXT;
}

function parseTraceparent(text: string): SpanContext | null {
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(text) ?? [];
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(context) ? context : null;
}
