import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Database } from '../database.js';
import { statement } from '../statement.js';

/** Thrown if this process has another encryption key than the installation, or none. */
export class WrongEncryptionKey extends Error {}

const LABEL = 'carillon encryption key check';

const setCheck = statement<{ check: Buffer }>(
  'set-key-check',
  'update carillon.installation set key_check = :check where key_check is null',
);
const readCheck = statement<object, { check: Buffer | null }>(
  'read-key-check',
  'select key_check as check from carillon.installation',
);

/**
 * Verifies that this process has the encryption key of the installation. The first process with a key stores a check
 * value, which reveals nothing about the key. Every other process computes the value from its own key and compares.
 * Throws `WrongEncryptionKey` with a one-line message.
 */
export async function verifyEncryptionKey(db: Database, key: string | undefined): Promise<void> {
  const check = key === undefined ? null : checkOf(key);
  if (check) await setCheck(db, { check });
  const [row] = await readCheck(db, {});
  const expected = row?.check ?? null;
  if (expected === null || (check && timingSafeEqual(check, expected))) return;
  const what = check ? 'is not the key' : 'is not set, but there is a key';
  throw new WrongEncryptionKey(
    `CARILLON_ENCRYPTION_KEY ${what} that the secrets in this database are encrypted with; set it to the key of the first installation (encryption.key in its CARILLON_HOME)`,
  );
}

/**
 * Compares a key with the check value of the installation, and writes nothing. The result is `unused` if no process has
 * had a key yet.
 */
export async function compareEncryptionKey(
  db: Database,
  key: string | undefined,
): Promise<'same' | 'different' | 'missing' | 'unused'> {
  const [row] = await readCheck(db, {});
  const expected = row?.check ?? null;
  if (expected === null) return 'unused';
  if (key === undefined) return 'missing';
  return timingSafeEqual(checkOf(key), expected) ? 'same' : 'different';
}

const checkOf = (key: string) => createHmac('sha256', Buffer.from(key, 'base64')).update(LABEL).digest();
