import { Carillon, type Schedule } from '@carillon/client';
import { nextOccurrences, parseTiming } from '@carillon/recurrence';
import { defineHandler, defineSchedule, run } from 'carillon';
import { z } from 'zod';

// The program of a user who loads the packages by `import`. The test compiles it strictly, and runs it in a folder
// outside the repository.

const ran: number[] = [];
const count = defineHandler({
  name: 'count',
  schema: z.object({ n: z.number(), text: z.string().default('none') }),
  run({ payload }) {
    const { n, text }: { n: number; text: string } = payload;
    ran.push(n + text.length);
  },
});
// @ts-expect-error: the payload does not have the type of the handler.
defineSchedule({ name: 'refused', every: 'PT1H', handler: count, payload: { n: 'one' } });

const everySecond = defineSchedule({
  name: 'every-second',
  every: 'PT1S',
  handler: count,
  payload: { n: 1 },
});

await using carillon = await run({ handlers: [count], schedules: [everySecond], api: { port: 0 } });
if (carillon.url === null || carillon.adminKey === null) throw new Error('the API does not listen');
const outside = new Carillon({ url: carillon.url, key: carillon.adminKey });
const created: Schedule = await outside.schedules.create({
  rule: { in: 'PT0.1S' },
  handler: count,
  payload: { n: 38, text: '1234' },
});
while (!ran.includes(42) || !ran.includes(5)) await new Promise((resolve) => setTimeout(resolve, 50));

const page = await (await fetch(carillon.url)).text();
const guide = await (await fetch(`${carillon.url}/guide/tutorial`)).text();
const timing = parseTiming({ rule: { cron: '0 9 * * *' }, timezone: 'Europe/Berlin' }, { anchorAt: 0 });
if (!timing.ok) throw new Error('the rule was refused');
console.log(
  JSON.stringify({
    status: created.status,
    hasDashboard: page.includes('<div id="root">'),
    hasGuide: guide.includes('reminder service'),
    next: nextOccurrences(timing.timing, Date.UTC(2026, 9, 24, 12), 2).map((at) =>
      new Date(at).toISOString(),
    ),
  }),
);
