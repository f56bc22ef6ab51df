import { z } from 'zod';
import { Instant } from './fields.js';

/** How many items a page holds. */
export const Limit = z.coerce.number().int().min(1).max(1_000).default(100);

/** Where a page begins: the `nextCursor` of the page before. Opaque; it stays right while rows come and go. */
export const Cursor = z.string().min(1).max(200);

export const listOf = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item), nextCursor: z.string().nullable() });

/** An instant given by a client: RFC 3339, with `Z` or an offset. */
export const InstantInput = z.iso
  .datetime({ offset: true, error: 'expected an instant such as 2026-11-16T09:00:00Z' })
  .meta({ examples: ['2026-11-16T09:00:00Z'] });

/** The same, read. */
export const MomentInput = InstantInput.transform((text) => Date.parse(text));

export const NullableInstant = Instant.nullable();
