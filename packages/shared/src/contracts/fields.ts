import { formatDuration, parseDuration } from '@carillon/recurrence';
import { z } from 'zod';
import { urlProblem } from '../webhook/vet-url.js';

/** Ids are part of URLs and Redis keys, so only letters, digits and a few signs are allowed. */
export const ScheduleKey = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._~-]{0,127}$/,
    'expected 1 to 128 letters, digits, ".", "_", "~" or "-", beginning with a letter or digit',
  )
  .meta({ id: 'ScheduleId', examples: ['invoice-42'] });

/** An ISO 8601 duration of fixed length, within bounds. */
export const duration = ({ minMs, maxMs, example }: { minMs: number; maxMs: number; example: string }) =>
  z
    .string()
    .max(40)
    .refine(
      (text) => {
        const ms = parseDuration(text);
        return ms !== null && ms >= minMs && ms <= maxMs;
      },
      {
        error: `expected an ISO 8601 duration such as ${example}, from ${formatDuration(minMs)} to ${formatDuration(maxMs)}`,
      },
    )
    .meta({ examples: [example], format: 'duration' });

/** Turns a check that returns a message or null into a zod refinement. */
export const refuseWith =
  <T>(problemOf: (value: T) => string | null) =>
  (value: T, context: z.core.$RefinementCtx) => {
    const message = problemOf(value);
    if (message !== null) context.addIssue({ code: 'custom', message, input: value });
  };

/**
 * The URL of a receiver. Private addresses are checked later, because the installation decides whether they are
 * allowed.
 */
export const WebUrl = z
  .string()
  .superRefine(refuseWith(urlProblem))
  .meta({ format: 'uri', examples: ['https://example.com/hook'] });

/** The Postgres schema that holds every table of Carillon. */
export const DatabaseSchema = z
  .string()
  .regex(/^[a-z_][a-z0-9_]{0,62}$/, 'expected a lower-case name of letters, digits and "_", such as carillon')
  .refine((name) => !/^(pg_|information_schema$|public$)/.test(name), 'expected a schema of Carillon’s own');

/** The key that encrypts secrets. */
export const EncryptionKey = z
  .string()
  .refine((key) => Buffer.from(key, 'base64').length === 32, 'expected the base64 of 32 bytes');

/** An instant with an offset, or a local time in the time zone of the schedule. The rule parser tells them apart. */
export const InstantText = z.string().min(4).max(64);

export const Instant = z.iso.datetime({ precision: 3 }).meta({ examples: ['2026-11-16T09:00:00.000Z'] });
