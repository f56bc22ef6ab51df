const PREFIX = 'whsec_';
const LEAST_BYTES = 24;
const MOST_BYTES = 64;
/** The bytes of a secret in the format of Standard Webhooks; null if the text is not a secret. */
export function secretBytes(secret) {
    if (!secret.startsWith(PREFIX))
        return null;
    const text = secret.slice(PREFIX.length);
    const bytes = Buffer.from(text, 'base64');
    // Node decodes base64 leniently. Only the canonical spelling is accepted, which every receiver decodes to the same
    // bytes.
    if (bytes.toString('base64').replace(/=+$/, '') !== text.replace(/=+$/, ''))
        return null;
    return bytes.length >= LEAST_BYTES && bytes.length <= MOST_BYTES ? bytes : null;
}
export const SECRET_RULE = `expected "${PREFIX}" and the base64 of ${LEAST_BYTES} to ${MOST_BYTES} bytes`;
export function spellSecret(bytes) {
    return PREFIX + Buffer.from(bytes).toString('base64');
}
//# sourceMappingURL=secret.js.map