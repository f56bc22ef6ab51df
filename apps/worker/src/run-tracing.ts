import { readCreatedTraces } from '@carillon/db';
import { encodeRunId, type Outcome } from '@carillon/shared';
import type { TraceSpan, Tracing } from '@carillon/telemetry';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Flight } from './pipeline/in-flight.js';

/** The span of one attempt. */
export interface AttemptTrace {
  /** Sent to the receiver of a webhook. */
  readonly traceparent: string;
  end(outcome: Outcome): void;
}

/**
 * The traces of a worker. The id of a run's trace is derived from the run's id, so attempts by different workers are
 * spans of the same trace. The trace is linked to the trace in which the schedule was created. A claim or a close
 * handles many runs, so it is a span of its own, linked to the traces of these runs.
 */
export class RunTracing {
  constructor(
    private readonly tracing: Tracing,
    private readonly pool: Pool,
    private readonly log: Pick<Logger, 'debug'>,
  ) {}

  /**
   * Starts the spans of a claimed batch. The links to the traces that created the schedules are read from Postgres and
   * added later, so that deliveries do not wait for them.
   */
  claimed(flights: readonly Flight[], tookMs: number): void {
    const nowMs = Date.now();
    const claim = this.tracing.start('claim', {
      kind: 'consumer',
      startedAtMs: nowMs - tookMs,
      attributes: { 'carillon.runs': flights.length },
    });
    const links = this.#readLinks(flights);
    for (const flight of flights) flight.trace = this.#startAttempt(flight, { claim, links });
    links.then((traces) => {
      claim.link([...new Set(traces.values())]);
      claim.end({ atMs: nowMs });
    });
  }

  /** Records that a batch of runs was closed. */
  closed(flights: readonly Flight[], tookMs: number): void {
    const nowMs = Date.now();
    const span = this.tracing.start('close', {
      startedAtMs: nowMs - tookMs,
      attributes: { 'carillon.runs': flights.length },
    });
    span.link(flights.flatMap(({ trace }) => trace?.traceparent ?? []));
    span.end({ atMs: nowMs });
  }

  /**
   * Reads the traces in which the schedules were created, to link the spans to them. A failed read must not fail a
   * delivery.
   */
  #readLinks(flights: readonly Flight[]): Promise<Map<number, string>> {
    const scheduleIds = [...new Set(flights.map(({ run }) => run.scheduleId))];
    return readCreatedTraces(this.pool, scheduleIds).catch((error: unknown) => {
      this.log.debug({ err: error }, 'Trace links could not be read');
      return new Map();
    });
  }

  #startAttempt(
    { run }: Flight,
    { claim, links }: { claim: TraceSpan; links: Promise<Map<number, string>> },
  ): AttemptTrace {
    const runId = encodeRunId(run);
    const span = this.tracing.start('attempt', {
      kind: run.plan.target.type === 'handler' ? 'internal' : 'client',
      traceOf: runId,
      attributes: {
        'carillon.run_id': runId,
        'carillon.schedule': run.scheduleKey,
        'carillon.attempt': run.attempt,
        'carillon.target': run.plan.target.type,
      },
    });
    span.link([claim.traceparent]);
    return {
      traceparent: span.traceparent,
      end(outcome) {
        const atMs = Date.now();
        links.then((traces) => {
          const created = traces.get(run.scheduleId);
          if (created) span.link([created]);
          span.end({
            atMs,
            attributes: { 'carillon.outcome': outcome.kind },
            ...(outcome.kind === 'failed' ? { error: outcome.errorCode } : {}),
          });
        });
      },
    };
  }
}
