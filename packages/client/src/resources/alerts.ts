import type { Pages } from '../pages.js';
import type { Calls, ChangeOptions } from '../transport/calls.js';
import { pathSegment } from '../transport/encode.js';
import type { CallOptions } from '../transport/transport.js';
import type {
  Alert,
  AlertChannel,
  AlertChannelInput,
  AlertChannelPatch,
  AlertFilter,
  AlertMessage,
  Maintenance,
  MaintenanceInput,
} from '../types/alert.js';
import type { PageQuery } from '../types/instant.js';
import { Collection } from './collection.js';

/** Channels to which the alerts of a project are sent. Changes require the scope admin. */
export class AlertChannels extends Collection<AlertChannel, AlertChannelInput, { id: string }> {
  /** Edits a channel. Omitted fields keep their value. */
  update(id: string, patch: AlertChannelPatch, options?: CallOptions): Promise<AlertChannel> {
    return this.calls.change({ method: 'PATCH', path: this.at(id), body: patch }, options);
  }

  /**
   * Sends a test message to the channel, waits up to ten seconds for the result, and returns the record of the message.
   */
  test(id: string, options?: CallOptions): Promise<AlertMessage> {
    return this.calls.change({ method: 'POST', path: `${this.at(id)}/test` }, options);
  }
}

const MAINTENANCE = '/v1/maintenance-windows';

/** Alerts (breaches of the objectives of schedules), and the maintenance windows in which breaches are not reported. */
export class Alerts {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /** Lists alerts, newest first. */
  list(filter?: AlertFilter & PageQuery, options?: CallOptions): Pages<Alert> {
    return this.#calls.pages('/v1/alerts', { ...filter }, options);
  }

  /** Silences the alerts of the project, or of one schedule, for a time. */
  silence(window: MaintenanceInput, options?: ChangeOptions): Promise<Maintenance> {
    return this.#calls.post(MAINTENANCE, window, options);
  }

  /** Lists maintenance windows that have not ended. */
  maintenance(query?: PageQuery, options?: CallOptions): Pages<Maintenance> {
    return this.#calls.pages(MAINTENANCE, { ...query }, options);
  }

  /** Ends a maintenance window. */
  unsilence(id: string, options?: CallOptions): Promise<{ id: string }> {
    return this.#calls.change({ method: 'DELETE', path: `${MAINTENANCE}/${pathSegment(id)}` }, options);
  }
}
