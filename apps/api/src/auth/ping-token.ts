import { timingSafeEqual } from 'node:crypto';
import type { SecretBox } from '@carillon/db';

/**
 * The content of the token in a ping URL, by which a job that runs elsewhere reports on its schedule. `generation`
 * grows when the URL is rotated (replaced by a new one).
 */
export interface PingToken {
  scheduleId: number;
  generation: number;
}

const PURPOSE = 'ping token';
const CONTENT_BYTES = 12;
const CODE_BYTES = 18;
const TOKEN = /^[A-Za-z0-9_-]{40}$/;

/**
 * Makes the token of a ping URL from the schedule's number, `generation`, and a message authentication code of both. So
 * the token can't be guessed and need not be stored, and a wrong token is refused without a query.
 */
export function makePingToken(secrets: SecretBox, { scheduleId, generation }: PingToken): string {
  const content = Buffer.alloc(CONTENT_BYTES);
  content.writeBigUInt64BE(BigInt(scheduleId));
  content.writeUInt32BE(generation, 8);
  return Buffer.concat([content, codeOf(secrets, content)]).toString('base64url');
}

/** Returns the content of the token in a ping URL; null if this installation did not make the token. */
export function readPingToken(secrets: SecretBox, token: string): PingToken | null {
  if (!TOKEN.test(token)) return null;
  const bytes = Buffer.from(token, 'base64url');
  const content = bytes.subarray(0, CONTENT_BYTES);
  if (!timingSafeEqual(bytes.subarray(CONTENT_BYTES), codeOf(secrets, content))) return null;
  return { scheduleId: Number(content.readBigUInt64BE()), generation: content.readUInt32BE(8) };
}

const codeOf = (secrets: SecretBox, content: Buffer) =>
  secrets.authenticate(PURPOSE, content).subarray(0, CODE_BYTES);
