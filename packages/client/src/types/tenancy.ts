import type { Instant } from './instant.js';
import type { Target, TargetInput } from './target.js';

export type Scope = 'read' | 'write' | 'admin';

export interface KeyInput {
  name: string;
  scopes: Scope[];
  expiresAt?: Instant | null | undefined;
  /** The project of the new key (default: the project of the caller). */
  project?: string | undefined;
}

export interface Key {
  id: number;
  name: string;
  project: string;
  prefix: string;
  scopes: Scope[];
  createdAt: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
  revokedAt: string | null;
}

/** `key` is shown only once. */
export type NewKey = Key & { key: string };

export interface ProjectInput {
  id: string;
  name?: string | undefined;
  defaultTarget?: TargetInput | null | undefined;
  limits?:
    | {
        schedules?: number | null | undefined;
        requestsPerMinute?: number | null | undefined;
        deliveriesPerSecond?: number | null | undefined;
        concurrentDeliveries?: number | null | undefined;
        /**
         * The weight of the project when a worker divides its concurrent runs and its memory among projects (default
         * 1).
         */
        weight?: number | null | undefined;
        /**
         * Queues that a project other than `default` may use as targets, besides those whose names begin with `<id>.`.
         */
        queues?: string[] | null | undefined;
        /** Handlers that the project may use as targets; `*` for all. */
        handlers?: string[] | null | undefined;
        calls?: boolean | null | undefined;
      }
    | undefined;
  /**
   * How long history is kept, as ISO 8601 durations such as `P30D`. Null: the setting of the installation applies.
   */
  retention?:
    | {
        /** Runs, attempts, gaps (records of why occurrences did not run) and replaced definitions. */
        runs?: string | null | undefined;
        /** Finished and cancelled schedules, with their runs. */
        schedules?: string | null | undefined;
        audit?: string | null | undefined;
      }
    | undefined;
}

export type ProjectPatch = Omit<ProjectInput, 'id'>;

export interface Project {
  id: string;
  name: string;
  defaultTarget: Target | null;
  limits: {
    schedules: number | null;
    requestsPerMinute: number | null;
    deliveriesPerSecond: number | null;
    concurrentDeliveries: number | null;
    weight: number;
    /** Null if all queues are allowed. */
    queues: string[] | null;
    handlers: string[];
    calls: boolean;
  };
  /** How long history is kept, as ISO 8601 durations. Null: the setting of the installation applies. */
  retention: { runs: string | null; schedules: string | null; audit: string | null };
  createdAt: string;
}

export interface AuditEntry {
  id: number;
  at: string;
  actor: string;
  action: string;
  subject: string | null;
  detail: unknown;
}

export interface AuditFilter {
  action?: string | undefined;
  subject?: string | undefined;
  from?: Instant | undefined;
  to?: Instant | undefined;
}

/** The project, the key and the scopes of a request. */
export interface Me {
  project: string;
  keyId: number;
  keyName: string;
  scopes: Scope[];
  /** True for an admin key of the default project. Its holder operates the installation. */
  isOperator: boolean;
  /** When the session ends; null if the request carries an API key. */
  sessionExpiresAt: string | null;
}

export interface EndedSessions {
  ended: number;
}
