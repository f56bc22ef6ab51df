/**
 * JSON that keeps integers beyond 2^53, which `JSON.parse` rounds. Here they become a BigInt and are written unchanged.
 * A text without 16 digits in a row cannot contain such an integer, so `JSON.parse` parses it directly.
 */

const LONG_NUMBER = /\d{16}/;

/** Parses JSON. Integers that a number can't hold exactly become a BigInt. */
export function parseExactly(text: string): unknown {
  const marked = markBigIntegers(text);
  return marked === null ? JSON.parse(text) : reviveBigIntegers(JSON.parse(marked.text), marked.mark);
}

export interface MarkedJson {
  /** The JSON text in which each big integer is a string that begins with the mark. */
  text: string;
  mark: string;
}

/** Marks the big integers of a JSON text, for a caller that parses the text itself. Returns null if there are none. */
export function markBigIntegers(text: string): MarkedJson | null {
  if (!LONG_NUMBER.test(text)) return null;
  const mark = markFor(text);
  let marked = '';
  let copiedTo = 0;
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (isDigit(code) || code === MINUS) {
      const end = endOfNumber(text, at);
      const number = text.slice(at, end);
      if (isBigInteger(number) && !isFollowedByColon(text, end)) {
        marked += `${text.slice(copiedTo, at)}"${mark}${number}"`;
        copiedTo = end;
      }
      at = end;
    } else at++;
  }
  return copiedTo === 0 ? null : { text: marked + text.slice(copiedTo), mark };
}

/** Turns marked strings into BigInts, in place. */
export function reviveBigIntegers(value: unknown, mark: string): unknown {
  if (typeof value === 'string') return value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value;
  if (typeof value !== 'object' || value === null) return value;
  const fields = value as Record<string, unknown>;
  for (const [key, child] of Object.entries(fields)) fields[key] = reviveBigIntegers(child, mark);
  return value;
}

/** Writes JSON. A BigInt becomes an integer. */
export function writeExactly(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // JSON.stringify throws a TypeError for a BigInt. A replacer would avoid that, but with a replacer every call takes
    // three times as long, so it is used only after the error.
    if (!(error instanceof TypeError)) throw error;
    const isBig = (field: unknown) => typeof field === 'bigint';
    const mark = markFor(JSON.stringify(value, (_, field) => (isBig(field) ? null : field)));
    const marked = JSON.stringify(value, (_, field) => (isBig(field) ? `${mark}${field}` : field));
    return marked.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1');
  }
}

/** A mark that does not occur in the text. */
function markFor(text: string): string {
  let mark = 'integer:';
  while (text.includes(mark)) mark = `_${mark}`;
  return mark;
}

const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const isDigit = (code: number) => code >= 0x30 && code <= 0x39;
const NUMBER_CHARACTER = /[-+.\deE]/;

const isBigInteger = (number: string) =>
  /^-?[1-9]\d{15,}$/.test(number) && !Number.isSafeInteger(Number(number));

/** The position after the string that begins at `from`. */
function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) return at + 1;
  }
  return text.length;
}

/**
 * True if a number is in the position of an object key. Such a text is invalid JSON, and marking the number would make
 * it valid.
 */
function isFollowedByColon(text: string, from: number): boolean {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= SPACE) at++;
  return text[at] === ':';
}

function endOfNumber(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && NUMBER_CHARACTER.test(text[at] as string)) at++;
  return at;
}
