import type { Duration, Instant } from './instant.js';

/** The share of runs that must succeed: of the last n runs, or of the runs in a window. */
export interface SuccessRate {
  percent: number;
  last?: number | undefined;
  window?: Duration | undefined;
}

/** Service level objectives of a schedule. A breach raises an alert. */
export interface Slo {
  /** A run must start within this time after it is due. */
  startWithin?: Duration | undefined;
  /** Additional time after `startWithin` before an alert is raised. */
  startGrace?: Duration | undefined;
  /** A run must have succeeded within this time after it is due. */
  endWithin?: Duration | undefined;
  endGrace?: Duration | undefined;
  /** Maximum time from the first attempt of a run to its end, retries included. */
  maxDuration?: Duration | undefined;
  successRate?: SuccessRate | undefined;
}

export type AlertKind = 'start' | 'end' | 'duration' | 'success_rate';

/** A breach of an objective. */
export interface Alert {
  id: string;
  scheduleId: string;
  scheduleName: string | null;
  kind: AlertKind;
  state: 'open' | 'resolved';
  /** The occurrence that began the breach. */
  occurrenceAt: string;
  /** Says what was expected, what happened, and since when. */
  sentence: string;
  /** One sentence that says what became of this occurrence, as known now. Null if the schedule was removed. */
  why: string | null;
  openedAt: string;
  resolvedAt: string | null;
  resolution: string | null;
  /** True if a maintenance window kept the breach from being reported to the channels. */
  silenced: boolean;
}

export interface AlertFilter {
  state?: Alert['state'] | undefined;
  /** The id of a schedule. */
  schedule?: string | undefined;
}

export type AlertChannelType = 'webhook' | 'slack' | 'email' | 'pagerduty';

/** A channel to create. */
export type AlertChannelInput = { id: string; enabled?: boolean | undefined } & (
  | { type: 'webhook'; url: string; secret?: string | null | undefined }
  | { type: 'slack'; url: string }
  | { type: 'email'; to: string[] }
  | { type: 'pagerduty'; routingKey: string; url?: string | undefined }
);

/** An edit of a channel. Omitted fields keep their value. */
export interface AlertChannelPatch {
  enabled?: boolean | undefined;
  url?: string | undefined;
  secret?: string | null | undefined;
  to?: string[] | undefined;
  routingKey?: string | undefined;
}

/** The record of a message to a channel. */
export interface AlertMessage {
  at: string;
  status: 'pending' | 'sent' | 'failed';
  tries: number;
  sentAt: string | null;
  nextTryAt: string | null;
  error: string | null;
}

/** A channel to which alerts are sent, without its secrets. */
export interface AlertChannel {
  id: string;
  type: AlertChannelType;
  enabled: boolean;
  url: string | null;
  to: string[] | null;
  hasSecret: boolean;
  lastMessage: AlertMessage | null;
  createdAt: string;
  updatedAt: string;
}

/** A maintenance window to create. Without a schedule, it applies to the whole project. */
export interface MaintenanceInput {
  schedule?: string | null | undefined;
  /** Default: now. */
  startAt?: Instant | undefined;
  endAt: Instant;
  note?: string | null | undefined;
}

/** A period in which breaches are recorded but not reported to the channels. */
export interface Maintenance {
  id: string;
  schedule: string | null;
  startAt: string;
  endAt: string;
  note: string | null;
  createdBy: string;
}

/** A report of a job that runs outside of Carillon, sent as a request to a ping URL. */
export interface Ping {
  at: string;
  kind: 'start' | 'success' | 'fail' | 'log';
  body: string | null;
  /** The occurrence that this ping ended or reported on; null if there is none. */
  occurrenceAt: string | null;
}

/** The URLs at which the job of a heartbeat reports, and its latest pings. */
export interface Heartbeat {
  url: string;
  startUrl: string;
  failUrl: string;
  pings: Ping[];
}
