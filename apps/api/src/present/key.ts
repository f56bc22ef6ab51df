import type { KeyView, ProjectView } from '@carillon/db';
import { allowedTargets, type Key, type Project, redactTarget } from '@carillon/shared';
import type { z } from 'zod';
import { iso } from './iso.js';

/** The metadata of a key. The key itself is never shown again. */
export function presentKey(key: KeyView): z.infer<typeof Key> {
  return {
    ...key,
    createdAt: iso(key.createdAt),
    expiresAt: iso(key.expiresAt),
    lastUsedAt: iso(key.lastUsedAt),
    revokedAt: iso(key.revokedAt),
  };
}

export function presentProject({
  key,
  name,
  defaultTarget,
  limits,
  retention,
  createdAt,
}: ProjectView): z.infer<typeof Project> {
  return {
    id: key,
    name,
    defaultTarget: redactTarget(defaultTarget),
    limits: {
      schedules: limits.schedules ?? null,
      requestsPerMinute: limits.requestsPerMinute ?? null,
      deliveriesPerSecond: limits.deliveriesPerSecond ?? null,
      concurrentDeliveries: limits.concurrentDeliveries ?? null,
      weight: limits.weight ?? 1,
      ...allowedTargets({ project: key, limits }),
    },
    retention: {
      runs: retention.runs ?? null,
      schedules: retention.schedules ?? null,
      audit: retention.audit ?? null,
    },
    createdAt: iso(createdAt),
  };
}
