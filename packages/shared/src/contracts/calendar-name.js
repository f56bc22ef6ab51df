import { CALENDAR_NAME } from '@carillon/recurrence';
import { z } from 'zod';
export const CalendarName = z
    .string()
    .regex(CALENDAR_NAME, 'expected a letter, then up to 63 letters, digits, ".", "_" or "-"')
    .meta({ id: 'CalendarName', examples: ['us-holidays'] });
//# sourceMappingURL=calendar-name.js.map