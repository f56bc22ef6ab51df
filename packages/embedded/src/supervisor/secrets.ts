import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { keptSecret } from '../home.js';

/** The first admin key of an installation: 256 random bits after a prefix that secret scanners and people recognise. */
export function localAdminKey(home: string): Promise<string> {
  return keptSecret(join(home, 'admin.key'), () => `ck_${randomBytes(32).toString('base64url')}`);
}

/**
 * The key that encrypts the secrets in the database. It is stored beside the data folder of Postgres, so it protects
 * the secrets only in copies of the database.
 */
export function localEncryptionKey(home: string): Promise<string> {
  return keptSecret(join(home, 'encryption.key'), () => randomBytes(32).toString('base64'));
}
