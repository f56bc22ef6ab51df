/** The three forms that a date in HTTP may have all begin with a day of the week. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;

/** How long a `Retry-After` header asks to wait, in seconds or until a date; null for what is neither. */
export function retryAfterMs(header: string, nowAt: number): number | null {
  const text = header.trim();
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1_000;
  if (!HTTP_DATE.test(text)) return null;
  // The asctime form names no zone; like the others it means GMT.
  const at = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(at) ? null : Math.max(0, Math.round(at - nowAt));
}
