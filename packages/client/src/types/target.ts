/** What a run is delivered to. */
export type Target = WebhookTarget | QueueTarget | HandlerTarget | CallTarget;

export interface WebhookTarget {
  type: 'webhook';
  url: string;
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

/** A voice call. */
export interface CallTarget {
  type: 'call';
  number: string;
  assistantId: string | null;
  phoneNumberId: string | null;
}

/** The same as it may be given: what has a default may be left out. */
export type TargetInput =
  | (Omit<WebhookTarget, 'headers'> & { headers?: Record<string, string> | undefined })
  | QueueTarget
  | HandlerTarget
  | (Omit<CallTarget, 'assistantId' | 'phoneNumberId'> & {
      assistantId?: string | null | undefined;
      phoneNumberId?: string | null | undefined;
    });
