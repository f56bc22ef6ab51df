import { z } from 'zod';
import { parseDuration } from '../rules/index.js';
import { urlProblem } from '../webhook/vet-url.js';

/** Ids go into URLs and Redis keys: letters, digits and a few signs. */
export const ScheduleKey = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._~-]{0,127}$/,
    'expected 1 to 128 letters, digits, ".", "_", "~" or "-", beginning with a letter or digit',
  )
  .meta({ id: 'ScheduleId', examples: ['invoice-42'] });

/** An ISO 8601 duration of fixed length, within bounds. */
export const duration = ({
  leastMs,
  mostMs,
  example,
}: {
  leastMs: number;
  mostMs: number;
  example: string;
}) =>
  z
    .string()
    .max(40)
    .refine(
      (text) => {
        const ms = parseDuration(text);
        return ms !== null && ms >= leastMs && ms <= mostMs;
      },
      {
        error: `expected an ISO 8601 duration such as ${example}, from ${leastMs / 1_000} s to ${mostMs / 1_000} s`,
      },
    )
    .meta({ examples: [example], format: 'duration' });

/** Refuses with the message of a rule that says what is wrong, or null. */
export const refuseWith =
  <T>(problemOf: (value: T) => string | null) =>
  (value: T, context: z.core.$RefinementCtx) => {
    const message = problemOf(value);
    if (message !== null) context.addIssue({ code: 'custom', message, input: value });
  };

/** Where something is posted to. Whether private addresses will do depends on the installation, and is checked later. */
export const WebUrl = z
  .string()
  .superRefine(refuseWith(urlProblem))
  .meta({ format: 'uri', examples: ['https://example.com/hook'] });

/** What secrets are encrypted with. */
export const EncryptionKey = z
  .string()
  .refine((key) => Buffer.from(key, 'base64').length === 32, 'expected the base64 of 32 bytes');

export const SECOND_MS = 1_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** An instant, or a local time in the schedule's zone where it has no offset: told apart when the rule is read. */
export const InstantText = z.string().min(4).max(64);

export const Instant = z.iso.datetime({ precision: 3 }).meta({ examples: ['2026-11-16T09:00:00.000Z'] });
