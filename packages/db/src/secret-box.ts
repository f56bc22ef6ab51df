import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Seals secrets before they go to Postgres, by AES-256-GCM. Each is bound to its project: copied to another project's
 * row, it does not open.
 */
export class SecretBox {
  readonly #key: Buffer;

  /** `key` is the base64 of 32 bytes. */
  constructor(key: string) {
    this.#key = Buffer.from(key, 'base64');
    if (this.#key.length !== 32) throw new Error('expected the base64 of 32 bytes');
  }

  seal(text: string, projectId: number): Buffer {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#key, iv).setAAD(boundTo(projectId));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
  }

  /** Throws for what was sealed with another key, for another project, or tampered with. */
  open(sealed: Buffer, projectId: number): string {
    const decipher = createDecipheriv(ALGORITHM, this.#key, sealed.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    })
      .setAAD(boundTo(projectId))
      .setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString(
      'utf8',
    );
  }
}

const boundTo = (projectId: number) => Buffer.from(`project ${projectId}`);
