import { startTestCarillon } from '@carillon/testing';
import { defineHandler, defineSchedule } from 'carillon';

const fired: string[] = [];
const greet = defineHandler({
  name: 'greet',
  run: ({ occurrenceAt }) => void fired.push(occurrenceAt.toISOString()),
});
const daily = defineSchedule({ name: 'daily', cron: '0 9 * * *', timezone: 'Europe/Berlin', handler: greet });

await using test = await startTestCarillon({ now: '2026-10-24T00:00:00+02:00', schedules: [daily] });
await test.clock.advance('3 days');
console.log(JSON.stringify(fired));
