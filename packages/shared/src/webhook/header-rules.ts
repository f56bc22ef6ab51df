/** Ours to set, or the connection's: a schedule can't choose them. */
const RESERVED = new Set([
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
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

const MOST_HEADERS = 50;
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
/** Visible Latin-1, blanks and tabs: no CR, LF or NUL could begin another header or another request. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]{0,4096}$/;

/** What is wrong with a schedule's own headers; null where nothing is. */
export function headersProblem(headers: Readonly<Record<string, string>>): string | null {
  const entries = Object.entries(headers);
  if (entries.length > MOST_HEADERS) return `expected at most ${MOST_HEADERS} headers`;
  for (const [name, value] of entries) {
    const lower = name.toLowerCase();
    if (!TOKEN.test(name)) return `${JSON.stringify(name.slice(0, 64))} is not a header name`;
    if (RESERVED.has(lower) || lower.startsWith('webhook-')) return `${name} can't be set by a schedule`;
    if (!VALUE.test(value)) return `the value of ${name} holds characters that a header can't have`;
  }
  const names = new Set(entries.map(([name]) => name.toLowerCase()));
  return names.size < entries.length ? 'a header is named twice' : null;
}
