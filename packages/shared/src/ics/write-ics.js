const MAX_LINE_BYTES = 75;
/** Writes an iCalendar file (RFC 5545). Events have no duration, so that they do not make their reader look busy. */
export function writeIcs({ name, events }) {
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
function eventLines(event) {
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
const utcTime = (at) => `${new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
/** A text with its special characters escaped. Control characters, which the RFC forbids, are left out. */
function textValue(text) {
    return text
        .replaceAll(/[\\;,]/g, '\\$&')
        .replaceAll(/\r\n?|\n/g, '\\n')
        .replaceAll(/\p{Cc}/gu, '');
}
/** Folds a line after 75 bytes, never inside a character. Each further line begins with a space, which counts. */
function foldLine(line) {
    if (line.length * 3 <= MAX_LINE_BYTES)
        return line;
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
//# sourceMappingURL=write-ics.js.map