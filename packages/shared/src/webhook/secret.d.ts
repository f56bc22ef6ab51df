/** The bytes of a secret in the format of Standard Webhooks; null if the text is not a secret. */
export declare function secretBytes(secret: string): Buffer | null;
export declare const SECRET_RULE = "expected \"whsec_\" and the base64 of 24 to 64 bytes";
export declare function spellSecret(bytes: Uint8Array): string;
