import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { keptSecret } from '../home.js';

/** The first admin's API key: 256 random bits behind a prefix by which secret scanners and people know it. */
export function localAdminKey(home: string): Promise<string> {
  return keptSecret(join(home, 'admin.key'), () => `ck_${randomBytes(32).toString('base64url')}`);
}

/** What the secrets in the database are encrypted with. It lies beside the data, so it guards copies of it only. */
export function localEncryptionKey(home: string): Promise<string> {
  return keptSecret(join(home, 'encryption.key'), () => randomBytes(32).toString('base64'));
}
