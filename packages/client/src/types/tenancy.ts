import type { Instant } from './instant.js';
import type { Target, TargetInput } from './target.js';

export type Scope = 'read' | 'write' | 'admin';

export interface KeyInput {
  name: string;
  scopes: Scope[];
  expiresAt?: Instant | null | undefined;
  /** Another project than that of the key in use. */
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

/** `key` is shown this once. */
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
  };
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
