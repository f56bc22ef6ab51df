import { z } from 'zod';
import { Instant } from './fields.js';
/** The maximum number of items on a page. */
export const Limit = z.coerce.number().int().min(1).max(1_000).default(100);
/**
 * The start of a page: the `nextCursor` of the previous page. The text is opaque, and stays valid after rows were added
 * or removed.
 */
export const Cursor = z.string().min(1).max(200);
export const listOf = (item) => z.object({ items: z.array(item), nextCursor: z.string().nullable() });
const EXPECTED = 'expected an instant such as 2026-11-16T09:00:00Z';
const EARLIEST_AT = Date.parse('0001-01-01T00:00:00.000Z');
/** The last instant that can be written as RFC 3339. */
export const LATEST_AT = Date.parse('9999-12-31T23:59:59.999Z');
/**
 * An instant given by a client: RFC 3339, with `Z` or an offset. It is passed on in UTC, because Postgres refuses the
 * year 0000 and offsets beyond 16 hours, which RFC 3339 allows.
 */
export const InstantInput = z.iso
    .datetime({ offset: true, error: EXPECTED })
    .refine((text) => Date.parse(text) >= EARLIEST_AT && Date.parse(text) <= LATEST_AT, {
    error: `${EXPECTED}, in the years 1 to 9999`,
})
    .transform((text) => new Date(text).toISOString())
    .meta({ examples: ['2026-11-16T09:00:00Z'] });
/** An instant given by a client, parsed to milliseconds. */
export const MomentInput = InstantInput.transform((text) => Date.parse(text));
export const NullableInstant = Instant.nullable();
//# sourceMappingURL=list.js.map