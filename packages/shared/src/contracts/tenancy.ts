import { z } from 'zod';
import { Instant } from './fields.js';
import { MomentInput, NullableInstant } from './list.js';
import { Target } from './target.js';

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
      description: 'Another project than yours: for admins of the default project.',
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
    lastUsedAt: NullableInstant.meta({ description: 'To within a minute.' }),
    revokedAt: NullableInstant,
  })
  .meta({ id: 'Key' });

export const NewKey = Key.extend({
  key: z.string().meta({ description: 'Shown this once, and kept nowhere.' }),
}).meta({
  id: 'NewKey',
});

/** What one project may take. */
export const ProjectLimits = z.strictObject({
  schedules: z.int().min(0).nullable().optional().meta({ description: 'Active and paused schedules.' }),
  requestsPerMinute: z.int().min(1).nullable().optional().meta({ description: 'For each of its keys.' }),
  deliveriesPerSecond: z
    .number()
    .positive()
    .nullable()
    .optional()
    .meta({ description: 'To receivers outside.' }),
  concurrentDeliveries: z
    .int()
    .min(1)
    .nullable()
    .optional()
    .meta({ description: 'To receivers outside, at once.' }),
});
export type ProjectLimits = z.infer<typeof ProjectLimits>;

export const ProjectInput = z
  .strictObject({
    id: ProjectKey,
    name: z.string().min(1).max(128).optional(),
    defaultTarget: Target.nullable().optional(),
    limits: ProjectLimits.optional(),
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
    }),
    createdAt: Instant,
  })
  .meta({ id: 'Project' });

export const ProjectSecret = z
  .object({
    secret: z.string().meta({ description: 'Shown this once. The one before stays valid for a day.' }),
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
