/** The receiver of a run. */
export type Target = WebhookTarget | QueueTarget | HandlerTarget | CallTarget | HeartbeatTarget;

export interface WebhookTarget {
  type: 'webhook';
  url: string;
  /** Default: POST. A GET has no body. */
  method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'GET' | undefined;
  /** `envelope` (default): the payload within a `WebhookDelivery`. `payload`: the payload alone. */
  body?: 'envelope' | 'payload' | undefined;
  headers: Record<string, string>;
}

export interface QueueTarget {
  type: 'queue';
  queue: string;
}

/** A function that is registered in the worker; `noop` and `log` are built in. */
export interface HandlerTarget {
  type: 'handler';
  name: string;
}

/** A phone call by a voice assistant. */
export interface CallTarget {
  type: 'call';
  number: string;
  assistantId: string | null;
  phoneNumberId: string | null;
}

/** Carillon delivers nothing to a heartbeat. Instead, a job that runs elsewhere reports by requesting a ping URL. */
export interface HeartbeatTarget {
  type: 'heartbeat';
  /** How long after an occurrence the job may report its success. */
  grace: string;
  /** How long after an occurrence the job may report its start; null if it need not. */
  startGrace: string | null;
}

/** A target in a request. Fields with a default may be omitted. */
export type TargetInput =
  | (Omit<WebhookTarget, 'headers'> & { headers?: Record<string, string> | undefined })
  | QueueTarget
  | HandlerTarget
  | (Omit<CallTarget, 'assistantId' | 'phoneNumberId'> & {
      assistantId?: string | null | undefined;
      phoneNumberId?: string | null | undefined;
    })
  | { type: 'heartbeat'; grace?: string | undefined; startGrace?: string | null | undefined };
