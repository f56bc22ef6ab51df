import { eventually, useReceiver } from '@carillon/testkit';
import { expect, it } from 'vitest';
import { formatMs } from '../../apps/dashboard/src/format/time.js';
import { scheduleBody, useDashboard } from './use-dashboard.js';

const dashboard = useDashboard();
const receiver = useReceiver();

it('the dashboard shows the lateness that the API returns, which exceeds the lateness measured by the receiver by at most 250 ms', async () => {
  const target = { type: 'webhook', url: receiver.url('status/200/late') };
  await dashboard.call('POST', '/schedules', scheduleBody('late', { rule: { in: 'PT0.5S' }, target }));
  const [run] = await eventually(async () => {
    const { items } = await dashboard.call('GET', '/runs?schedule=late&status=succeeded');
    return items.length === 1 && items;
  });
  const measuredMs = (receiver.to('status/200/late')[0]?.at ?? 0) - Date.parse(run.dueAt);
  // The worker estimates the clock of Postgres, and the receiver uses the clock of the machine, so the two lateness
  // figures may differ a little.
  expect(run.latenessMs).toBeLessThanOrEqual(measuredMs + 250);

  const { lateness } = await eventually(async () => {
    const { windows } = await dashboard.call('GET', '/system');
    return windows.hour.lateness.count === 1 && windows.hour;
  });
  expect(lateness.p50Ms).toBeGreaterThanOrEqual(run.latenessMs);
  const page = await dashboard.signIn();
  await page.goto(`${dashboard.url}/system`);
  const row = page.getByRole('row', { name: 'Late, p50' });
  await row
    .getByText(`${formatMs(lateness.p50Ms)} · ${formatMs(lateness.p99Ms)} of 1`)
    .first()
    .waitFor();
  await page.goto(`${dashboard.url}/runs/${run.id}`);
  await page.getByText('Late by').waitFor();
  await page.getByText(formatMs(run.latenessMs), { exact: true }).first().waitFor();
});
