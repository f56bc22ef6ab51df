const PREFIX = 'whsec_';
const MIN_SECRET_BYTES = 24;
const MAX_SECRET_BYTES = 64;

/** The bytes of a secret in the format of Standard Webhooks; null if the text is not a secret. */
export function secretBytes(secret: string): Buffer | null {
  if (!secret.startsWith(PREFIX)) return null;
  const text = secret.slice(PREFIX.length);
  const bytes = Buffer.from(text, 'base64');
  // Node decodes base64 leniently. Only the canonical spelling is accepted, which every receiver decodes to the same
  // bytes.
  if (bytes.toString('base64').replace(/=+$/, '') !== text.replace(/=+$/, '')) return null;
  return bytes.length >= MIN_SECRET_BYTES && bytes.length <= MAX_SECRET_BYTES ? bytes : null;
}

export const SECRET_RULE = `expected "${PREFIX}" and the base64 of ${MIN_SECRET_BYTES} to ${MAX_SECRET_BYTES} bytes`;

export function spellSecret(bytes: Uint8Array): string {
  return PREFIX + Buffer.from(bytes).toString('base64');
}
