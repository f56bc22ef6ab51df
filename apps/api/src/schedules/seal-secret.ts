import { randomBytes } from 'node:crypto';
import type { KeyOwner, SealNewSecret, SecretBox } from '@carillon/db';
import { type Problem, spellSecret } from '@carillon/shared';

/** Encrypts the signing secret of a schedule. Null removes the secret; undefined keeps the stored one. */
export function sealSecret(
  secrets: SecretBox | null,
  { projectId }: KeyOwner,
  secret: string | null | undefined,
): { ok: true; value: Buffer | null | undefined } | { ok: false; problems: Problem[] } {
  if (secret === undefined || secret === null) return { ok: true, value: secret };
  if (secrets) return { ok: true, value: secrets.seal(secret, projectId) };
  const message = 'cannot be stored: CARILLON_ENCRYPTION_KEY is not set on this installation';
  return { ok: false, problems: [{ field: 'secret', message }] };
}

/** Generates and encrypts the signing secret of a new project. */
export const sealNewSecret =
  (secrets: SecretBox): SealNewSecret =>
  (projectId) =>
    secrets.seal(spellSecret(randomBytes(32)), projectId);
