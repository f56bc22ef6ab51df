import { z } from 'zod';
import { DAY_MS } from '../durations.js';
import { duration, Instant } from './fields.js';
import { MomentInput, NullableInstant } from './list.js';
import { QueueName, Target } from './target.js';

export const SCOPES = ['read', 'write', 'admin'] as const;

export const ProjectKey = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'expected 1 to 63 lower-case letters, digits or "-"')
  .meta({ examples: ['billing'] });

export const KeyInput = z
  .strictObject({
    name: z.string().min(1).max(128),
    scopes: z.array(z.enum(SCOPES)).min(1).max(3),
    expiresAt: MomentInput.nullable().optional(),
    project: ProjectKey.optional().meta({
      description:
        'The project of the new key. Only admins of the default project may name another project than their own.',
    }),
  })
  .meta({ id: 'KeyRequest', examples: [{ name: 'ci', scopes: ['read', 'write'] }] });

export const Key = z
  .object({
    id: z.int(),
    name: z.string(),
    project: z.string(),
    prefix: z.string(),
    scopes: z.array(z.enum(SCOPES)),
    createdAt: Instant,
    expiresAt: NullableInstant,
    lastUsedAt: NullableInstant.meta({ description: 'The last use of the key, accurate to a minute.' }),
    revokedAt: NullableInstant,
  })
  .meta({ id: 'Key' });

export const NewKey = Key.extend({
  key: z
    .string()
    .meta({ description: 'The key itself. It is shown only once, because only its hash is stored.' }),
}).meta({
  id: 'NewKey',
});

/** The limits of one project. */
export const ProjectLimits = z.strictObject({
  schedules: z
    .int()
    .min(0)
    .nullable()
    .optional()
    .meta({ description: 'Maximum number of active and paused schedules.' }),
  requestsPerMinute: z.int().min(1).nullable().optional().meta({
    description:
      'Maximum number of requests per minute, on all API replicas and for all keys of the project together.',
  }),
  deliveriesPerSecond: z
    .number()
    .positive()
    .nullable()
    .optional()
    .meta({ description: 'Maximum number of webhook and call deliveries per second.' }),
  concurrentDeliveries: z
    .int()
    .min(1)
    .nullable()
    .optional()
    .meta({ description: 'Maximum number of webhook and call deliveries at the same time.' }),
  weight: z.int().min(1).max(100).nullable().optional().meta({
    description:
      'The weight of the project when a worker divides its concurrent runs and its memory among projects. Default: 1. See docs/decisions/shares-per-project.md.',
  }),
  queues: z.array(QueueName).max(1_000).nullable().optional().meta({
    description:
      'Queues that a project other than the default one may use as targets, besides those that begin with its id and a dot.',
  }),
  handlers: z
    .array(z.string().min(1).max(128))
    .max(1_000)
    .nullable()
    .optional()
    .meta({
      description:
        'Handlers that the project may name, or "*" for all. Default: all for the default project, only noop and log for others.',
      examples: [['import', 'export']],
    }),
  calls: z.boolean().nullable().optional().meta({
    description:
      'True if the project may use `call` targets. Default: true for the default project, and false for any other.',
  }),
});
export type ProjectLimits = z.infer<typeof ProjectLimits>;

const kept = (what: string) =>
  duration({ minMs: DAY_MS, maxMs: 36_500 * DAY_MS, example: 'P30D' })
    .nullable()
    .optional()
    .meta({
      description: `Time for which ${what} are kept. If it is null or absent, the setting of the installation applies.`,
    });

/** How long one project keeps its history. */
const ProjectRetentionInput = z.strictObject({
  runs: kept('runs, attempts, gaps and replaced definitions'),
  schedules: kept('schedules that have finished or were cancelled, with their runs,'),
  audit: kept('entries of the audit log'),
});

export const ProjectInput = z
  .strictObject({
    id: ProjectKey,
    name: z.string().min(1).max(128).optional(),
    defaultTarget: Target.nullable().optional(),
    limits: ProjectLimits.optional(),
    retention: ProjectRetentionInput.optional(),
  })
  .meta({ id: 'ProjectRequest', examples: [{ id: 'billing', limits: { schedules: 100_000 } }] });

export const ProjectPatch = ProjectInput.omit({ id: true }).meta({ id: 'ProjectPatch' });

export const Project = z
  .object({
    id: ProjectKey,
    name: z.string(),
    defaultTarget: Target.nullable(),
    limits: z.object({
      schedules: z.int().nullable(),
      requestsPerMinute: z.int().nullable(),
      deliveriesPerSecond: z.number().nullable(),
      concurrentDeliveries: z.int().nullable(),
      weight: z.int(),
      queues: z
        .array(z.string())
        .nullable()
        .meta({ description: 'The allowed queues; null if all are allowed.' }),
      handlers: z.array(z.string()),
      calls: z.boolean(),
    }),
    retention: z
      .object({ runs: z.string().nullable(), schedules: z.string().nullable(), audit: z.string().nullable() })
      .meta({
        description:
          'Time for which history is kept, as ISO 8601 durations. Where it is null, the setting of the installation applies.',
      }),
    createdAt: Instant,
  })
  .meta({ id: 'Project' });

export const ProjectSecret = z
  .object({
    secret: z.string().meta({
      description:
        'The secret that verifies the signature of deliveries. A replaced secret stays valid for a day.',
    }),
  })
  .meta({ id: 'ProjectSecret' });

export const AuditEntry = z
  .object({
    id: z.int(),
    at: Instant,
    actor: z.string(),
    action: z.string(),
    subject: z.string().nullable(),
    detail: z.unknown(),
  })
  .meta({ id: 'AuditEntry' });

export const Me = z
  .object({
    project: ProjectKey,
    keyId: z.int(),
    keyName: z.string(),
    scopes: z.array(z.enum(SCOPES)),
    isOperator: z.boolean().meta({
      description:
        'True for an admin key of the default project. Admins of that project operate the installation.',
    }),
    sessionExpiresAt: NullableInstant.meta({
      description: 'The instant at which the session ends; null if the request carries an API key.',
    }),
  })
  .meta({ id: 'Me' });

export const SessionInput = z
  .strictObject({ key: z.string().trim().min(1).max(512) })
  .meta({ id: 'SessionRequest', examples: [{ key: 'ck_…' }] });

export const EndedSessions = z
  .object({ ended: z.int().meta({ description: 'Number of sessions that were ended.' }) })
  .meta({ id: 'EndedSessions' });
