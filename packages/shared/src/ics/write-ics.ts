/** An event of an iCalendar file. */
export interface IcsEvent {
  /** An id that stays the same in every version of the file, so that a calendar program updates its entry. */
  uid: string;
  /** When the event last changed. */
  stampAt: number;
  startAt: number;
  summary: string;
  description: string;
  status: 'TENTATIVE' | 'CONFIRMED' | 'CANCELLED';
  categories: readonly string[];
}

const MAX_LINE_BYTES = 75;

/**
 * Writes an iCalendar file (RFC 5545). Events have no duration, so that a calendar program does not show its user as
 * busy.
 */
export function writeIcs({ name, events }: { name: string; events: readonly IcsEvent[] }): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Carillon//Schedules//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    `X-WR-CALNAME:${textValue(name)}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT15M',
    'X-PUBLISHED-TTL:PT15M',
    ...events.flatMap(eventLines),
    'END:VCALENDAR',
  ];
  return `${lines.map(foldLine).join('\r\n')}\r\n`;
}

function eventLines(event: IcsEvent): string[] {
  const { uid, stampAt, startAt, summary, description, status, categories } = event;
  return [
    'BEGIN:VEVENT',
    `UID:${textValue(uid)}`,
    `DTSTAMP:${utcTime(stampAt)}`,
    `LAST-MODIFIED:${utcTime(stampAt)}`,
    `DTSTART:${utcTime(startAt)}`,
    `SUMMARY:${textValue(summary)}`,
    `DESCRIPTION:${textValue(description)}`,
    `STATUS:${status}`,
    'TRANSP:TRANSPARENT',
    ...(categories.length > 0 ? [`CATEGORIES:${categories.map(textValue).join(',')}`] : []),
    'END:VEVENT',
  ];
}

/** For example `20261225T090000Z`. */
const utcTime = (at: number) => `${new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;

/** A text with its special characters escaped. Control characters, which the RFC forbids, are left out. */
function textValue(text: string): string {
  return text
    .replaceAll(/[\\;,]/g, '\\$&')
    .replaceAll(/\r\n?|\n/g, '\\n')
    .replaceAll(/\p{Cc}/gu, '');
}

/** Folds a line after 75 bytes, never inside a character. Each further line begins with a space, which counts. */
function foldLine(line: string): string {
  if (line.length * 3 <= MAX_LINE_BYTES) return line;
  let folded = '';
  let bytes = 0;
  for (const character of line) {
    const size = new TextEncoder().encode(character).length;
    if (bytes + size > MAX_LINE_BYTES) {
      folded += '\r\n ';
      bytes = 1;
    }
    folded += character;
    bytes += size;
  }
  return folded;
}
