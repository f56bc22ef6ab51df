/**
 * The position from which a stream resumes: every run change up to `at` and every audit entry up to `auditId` has been
 * sent.
 */
export interface StreamPosition {
  at: number;
  auditId: number;
}

/** Encodes a position as the id of an event. A client sends it back as `Last-Event-ID`, and does not interpret it. */
export const encodePosition = ({ at, auditId }: StreamPosition) => `${Math.floor(at)}-${auditId}`;

/** Null if the text is not the id of an event. */
export function decodePosition(text: string): StreamPosition | null {
  const [, at, auditId] = /^(\d{1,15})-(\d{1,15})$/.exec(text) ?? [];
  return at === undefined || auditId === undefined ? null : { at: Number(at), auditId: Number(auditId) };
}
