import type { WebhookTarget } from '../plan.js';
import { REDACTED } from './redact.js';

/** Headers that Carillon or the HTTP connection sets. A schedule can't set them. */
const RESERVED = new Set([
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-attempt-key',
  'x-idempotency-key',
]);

const MAX_HEADERS = 50;
const MAX_HEADER_CHARACTERS = 16_384;
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
/** Visible Latin-1, blanks and tabs. CR, LF and NUL are refused because they could inject a header or a request. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]{0,4096}$/;

/** Problems of a webhook target that concern several of its fields. */
export function webhookProblems({
  method,
  body,
  headers,
}: Pick<WebhookTarget, 'method' | 'body' | 'headers'>): { field: 'body' | 'headers'; message: string }[] {
  const setsType = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  if (method === 'GET' && body !== undefined)
    return [{ field: 'body', message: 'a GET has no body; leave this field out' }];
  if (setsType && body !== 'payload')
    return [{ field: 'headers', message: 'content-type can be set only with body "payload"' }];
  return [];
}

/** Returns what is wrong with the headers of a target, or null. */
export function headersProblem(headers: Readonly<Record<string, string>>): string | null {
  const entries = Object.entries(headers);
  if (entries.length > MAX_HEADERS) return `expected at most ${MAX_HEADERS} headers`;
  const length = entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (length > MAX_HEADER_CHARACTERS)
    return `expected headers of at most ${MAX_HEADER_CHARACTERS} characters together`;
  for (const [name, value] of entries) {
    const lower = name.toLowerCase();
    if (!TOKEN.test(name)) return `${JSON.stringify(name.slice(0, 64))} is not a header name`;
    if (RESERVED.has(lower) || lower.startsWith('webhook-')) return `${name} can't be set by a schedule`;
    // A client may send back the redacted value; the stored value then replaces it.
    if (value !== REDACTED && !VALUE.test(value))
      return `the value of ${name} holds characters that a header can't have`;
  }
  const names = new Set(entries.map(([name]) => name.toLowerCase()));
  return names.size < entries.length ? 'a header is named twice' : null;
}
