import type { KeyView, ProjectView } from '@carillon/db';
import type { Key, Project } from '@carillon/shared';
import type { z } from 'zod';

const iso = (at: Date | null) => at?.toISOString() ?? null;

/** A key as the API shows it: never the key itself. */
export function presentKey(key: KeyView): z.infer<typeof Key> {
  return {
    ...key,
    createdAt: key.createdAt.toISOString(),
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
  createdAt,
}: ProjectView): z.infer<typeof Project> {
  return {
    id: key,
    name,
    defaultTarget,
    limits: {
      schedules: limits.schedules ?? null,
      requestsPerMinute: limits.requestsPerMinute ?? null,
      deliveriesPerSecond: limits.deliveriesPerSecond ?? null,
      concurrentDeliveries: limits.concurrentDeliveries ?? null,
    },
    createdAt: createdAt.toISOString(),
  };
}
