import { describe, expect, it } from 'vitest';
import { parseRecurrenceText } from './rrule-text.js';

describe('invalid recurrence text', () => {
  it.each([
    ['FREQ=DAILY;BYHOUR=25', 'BYHOUR is 25; expected 0-23'],
    ['FREQ=DAILY;INTERVAL=-1', 'INTERVAL is -1; expected 1-10000'],
    ['FREQ=DAILY;INTERVAL=0', 'INTERVAL is 0; expected 1-10000'],
    ['FREQ=DAILY;INTERVAL=1e9', 'INTERVAL is 1E9; expected 1-10000'],
    ['FREQ=DAILY;COUNT=0', 'COUNT is 0; expected 1-1000000000'],
    ['FREQ=DAILY;COUNT=99999999999', 'expected 1-1000000000'],
    ['FREQ=FORTNIGHTLY', 'FREQ is FORTNIGHTLY; expected one of YEARLY'],
    ['INTERVAL=2', 'FREQ is missing'],
    ['FREQ=DAILY;COUNT=1;UNTIL=20270101', 'COUNT and UNTIL exclude each other'],
    ['FREQ=DAILY;FREQ=DAILY', 'FREQ is given twice'],
    ['FREQ=DAILY;BYEASTER=1', 'BYEASTER is not a part of RRULE'],
    ['FREQ=DAILY;BYSETPOS=1', 'BYSETPOS picks from the dates and times of another BY part'],
    ['FREQ=MONTHLY;BYDAY=MO;BYSETPOS=0', 'BYSETPOS is 0'],
    ['FREQ=WEEKLY;BYDAY=2MO', 'BYDAY with a number needs FREQ=MONTHLY or YEARLY'],
    ['FREQ=WEEKLY;BYMONTHDAY=1', 'BYMONTHDAY does not go with FREQ=WEEKLY'],
    ['FREQ=DAILY;BYYEARDAY=1', 'BYYEARDAY does not go with FREQ=DAILY'],
    ['FREQ=MONTHLY;BYWEEKNO=1', 'BYWEEKNO needs FREQ=YEARLY'],
    ['FREQ=DAILY;UNTIL=soon', 'UNTIL is SOON; expected 20260131T090000'],
    ['FREQ=DAILY;UNTIL=20260231', 'that month has days 1-28'],
    ['RRULE:FREQ=DAILY\nRRULE:FREQ=DAILY', 'RRULE is given twice'],
    ['RRULE:FREQ=DAILY\nEXRULE:FREQ=DAILY', 'EXRULE is not supported'],
    ['DTSTART;TZID=Mars/Base:20260101T000000\nRRULE:FREQ=DAILY', '"Mars/Base" is not a known time zone'],
    ['DTSTART:18000101T000000\nRRULE:FREQ=DAILY', 'expected a year of 1900-2199'],
    ['RDATE;VALUE=PERIOD:20260101T000000/PT1H', 'expected TZID=…, VALUE=DATE'],
    ['BEGIN:VEVENT', 'BEGIN is not understood'],
    ['', 'is empty'],
    ['FREQ', '"FREQ" is not understood'],
  ])('invalid recurrence text %j is refused with the message %j', (text, message) => {
    const result = parseRecurrenceText(text);
    expect(result.ok ? 'read' : result.messages.join()).toContain(message);
  });
});
