import { eventually } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { scheduleBody, useDashboard } from './use-dashboard.js';

/** A handler that reports one more step of progress each time the test calls `goOn`, and ends when it is aborted. */
let goOn = () => {};
const stepwise = {
  name: 'stepwise',
  async run({ progress, signal }: { progress: (value: unknown) => void; signal: AbortSignal }) {
    for (let done = 1; !signal.aborted; done++) {
      progress({ done, of: 10 });
      await new Promise<void>((resolve) => {
        goOn = resolve;
        signal.addEventListener('abort', () => resolve());
      });
    }
  },
};

const dashboard = useDashboard({ handlers: [stepwise] });

describe('The page of a run', () => {
  it('the dashboard page of a run shows the progress that its handler reports, and can cancel the run', async () => {
    const rule = { in: 'PT0S' };
    const target = { type: 'handler', name: 'stepwise' };
    await dashboard.call('POST', '/schedules', scheduleBody('long', { rule, target, timeout: 'PT10M' }));
    const { id } = await eventually(
      async () => (await dashboard.call('GET', '/runs?schedule=long')).items[0],
      {
        what: 'a run of the schedule',
      },
    );
    const page = await dashboard.signIn({ path: `/runs/${id}` });
    await page.getByText('"done": 1').waitFor();
    goOn();
    // The test does not reload the page, so the event stream has updated it.
    await page.getByText('"done": 2').waitFor();
    await page.getByRole('button', { name: 'Cancel run' }).click();
    await page.getByText('The run is cancelled.').waitFor();
    await page.getByRole('button', { name: 'Replay' }).waitFor();
    expect(await dashboard.call('GET', `/runs/${id}`)).toMatchObject({ status: 'cancelled' });
  });
});

describe('The preview of a rule', () => {
  it('the preview of a rule in the dashboard remarks on years without 29 February, on excluded calendar days and on jitter', async () => {
    const page = await dashboard.signIn({ path: '/schedules/new' });
    await page.getByText('RRULE', { exact: true }).click();
    await page
      .getByLabel('RRULE (RFC 5545)')
      .fill('FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYHOUR=9;BYMINUTE=0;BYSECOND=0');
    await page
      .getByText(/in place of 29 February, which \d{4} does not have/)
      .first()
      .waitFor();

    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    await dashboard.call('PUT', '/calendars/closed', { dates: [tomorrow] });
    await page.getByLabel('Time zone').fill('UTC');
    await page.getByText('Cron', { exact: true }).click();
    await page.getByLabel('Cron expression').fill('0 12 * * *');
    await page.getByText('Policies and limits').click();
    await page.getByLabel('Never on').fill('closed');
    await page.getByText('left out: an excluded day').waitFor();
    await page.getByLabel('Jitter').fill('PT30S');
    await page.getByText('Each fire is moved by up to PT30S').waitFor();
  });
});
