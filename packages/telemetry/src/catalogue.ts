import { LATENESS_BOUNDS_MS } from '@carillon/shared';

/** Upper bounds of the histograms' buckets, in milliseconds. */
export const BUCKETS_MS = LATENESS_BOUNDS_MS;

interface CounterEntry {
  help: string;
  /**
   * Label sets, as Prometheus text, that are exposed from the start with the value 0. Without them, a rate over a
   * series that does not exist yet would be empty.
   */
  labels?: readonly string[];
}

const each = (name: string, values: readonly string[]) => values.map((value) => `${name}="${value}"`);

/**
 * Every counter of Carillon. No label holds an id of a schedule, a project, a run or a receiver, so that the number of
 * time series stays small.
 */
export const COUNTERS: Record<string, CounterEntry> = {
  jobs_queued_total: { help: 'Schedules created.' },
  jobs_cancelled_total: { help: 'Schedules cancelled.' },
  jobs_due_total: { help: 'Runs claimed for delivery.' },
  carillon_alerts_total: {
    help: 'Breaches of objectives that were opened and resolved, by event.',
    labels: each('event', ['opened', 'resolved']),
  },
  carillon_alert_messages_total: {
    help: 'Tries to send a message to an alert channel, by outcome.',
    labels: each('outcome', ['succeeded', 'failed']),
  },
  carillon_attempts_total: {
    help: 'Delivery attempts, by outcome.',
    labels: each('outcome', ['succeeded', 'failed', 'handed_back']),
  },
  carillon_audit_differences_total: {
    help: 'Differences that the audit found, by kind: occurrences without a run or gap, overdue occurrences, and runs that no rule named.',
    labels: each('kind', ['missing', 'overdue', 'unnamed']),
  },
  carillon_audited_occurrences_total: { help: 'Occurrences that the audit compared with their runs.' },
  carillon_bells_armed_total: { help: 'Bells added to Redis.' },
  carillon_bells_rung_total: { help: 'Bells that rang.' },
  carillon_circuits_opened_total: { help: 'Circuits opened because an origin kept failing.' },
  carillon_deferred_total: {
    help: 'Deliveries deferred before they started, by reason.',
    labels: each('reason', ['circuit_open']),
  },
  carillon_drift_total: {
    help: 'Differences that sweeps found and repaired, by kind: overdue runs, bells missing in Redis, and runs of expired leases.',
    labels: each('kind', ['overdue', 'missingBells', 'expiredLeases']),
  },
  carillon_lost_claims_total: { help: 'Claims of occurrences that already had a run.' },
  carillon_missed_total: {
    help: 'Occurrences that a claim passed over instead of running them, by reason.',
    labels: each('reason', ['misfire', 'overlap', 'queue_full', 'dependency', 'overtaken', 'restored']),
  },
  carillon_receipts_total: {
    help: 'Receipts sent to onSuccess and onFailure, by outcome.',
    labels: each('outcome', ['succeeded', 'failed']),
  },
  carillon_refused_writes_total: { help: 'Results refused because the worker had lost its lease.' },
  carillon_reminders_contended_total: { help: 'Reminders that another worker was already processing.' },
  carillon_reminders_retried_total: { help: 'Reminders that needed more than one attempt.' },
  carillon_reminders_total: {
    help: 'Reminders that have ended, by outcome.',
    labels: each('outcome', ['completed', 'failed']),
  },
  carillon_requests_rejected_total: { help: 'Refused requests, by queue and by SQL.' },
  carillon_retries_total: { help: 'Failed attempts that will be retried.' },
  carillon_runs_failed_total: {
    help: 'Runs that failed for good, by target and reason.',
    labels: ['webhook', 'queue', 'handler', 'call', 'heartbeat'].flatMap((target) =>
      each('reason', ['error', 'timeout', 'worker_lost']).map((reason) => `target="${target}",${reason}`),
    ),
  },
};

export const HISTOGRAMS: Record<string, string> = {
  carillon_backlog_wait_seconds: 'Time from the due time of a run until a worker claimed it.',
  carillon_claim_seconds: 'Duration of a claim.',
  carillon_deferral_wait_seconds: 'Time that a run was deferred before its first attempt.',
  carillon_delivery_seconds: 'Duration of an attempt.',
  carillon_lateness_seconds:
    'Time from the due time of a run to the first byte of its first attempt, once per run.',
  carillon_queue_wait_seconds: 'Time that a run waited for its turn before its first attempt.',
};
