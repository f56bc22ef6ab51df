import type { KeyOwner, SecretBox } from '@carillon/db';
import type { Problem } from '@carillon/shared';

/** Seals what deliveries are signed with. Null takes a secret away; where nothing is said, what holds stays. */
export function sealSecret(
  secrets: SecretBox | null,
  { projectId }: KeyOwner,
  secret: string | null | undefined,
): { ok: true; value: Buffer | null | undefined } | { ok: false; problems: Problem[] } {
  if (secret === undefined || secret === null) return { ok: true, value: secret };
  if (secrets) return { ok: true, value: secrets.seal(secret, projectId) };
  const message = 'cannot be kept: this installation has no CARILLON_ENCRYPTION_KEY';
  return { ok: false, problems: [{ field: 'secret', message }] };
}
