import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { RecentCache } from '@carillon/shared';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts secrets before they go to Postgres, by AES-256-GCM. Each secret is bound to its project: a secret that is
 * copied to another project's row can't be decrypted.
 */
export class SecretBox {
  readonly #key: Buffer;
  readonly #sealedTexts = new RecentCache<string, string>(1_000);

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

  /** Throws if the text was encrypted with another key or for another project, or was tampered with. */
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

  /**
   * Computes an HMAC of bytes for one purpose. Each purpose has its own key, so a code that was made for one purpose is
   * not valid for another.
   */
  authenticate(purpose: string, bytes: Uint8Array): Buffer {
    const key = createHmac('sha256', this.#key).update(`carillon ${purpose}`).digest();
    return createHmac('sha256', key).update(bytes).digest();
  }

  /**
   * Encrypts a value as text, to be stored inside a definition. The same value gets the same text for a while, so that
   * equal definitions of many schedules stay equal. A text that is already encrypted for the project is returned as it
   * is.
   */
  sealText(value: string, projectId: number): string {
    if (value.startsWith(SEALED) && this.#canOpen(value, projectId)) return value;
    return this.#sealedTexts.get(
      `${projectId} ${value}`,
      () => SEALED + this.seal(value, projectId).toString('base64'),
    );
  }

  /** Decrypts a text that `sealText` has made. Any other text is returned as it is. */
  openText(text: string, projectId: number): string {
    if (!text.startsWith(SEALED)) return text;
    return this.open(Buffer.from(text.slice(SEALED.length), 'base64'), projectId);
  }

  #canOpen(text: string, projectId: number): boolean {
    try {
      this.openText(text, projectId);
      return true;
    } catch {
      return false;
    }
  }
}

/** An encrypted text begins with this prefix. */
const SEALED = 'sealed:1:';
const boundTo = (projectId: number) => Buffer.from(`project ${projectId}`);
