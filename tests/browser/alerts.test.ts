import { eventually } from '@carillon/testkit';
import { expect, it } from 'vitest';
import { scheduleBody, useDashboard } from './use-dashboard.js';

const dashboard = useDashboard();

it('the dashboard shows a breach on the overview, on the alerts page and on the page of its schedule', async () => {
  const target = { type: 'heartbeat', grace: 'PT1S' };
  await dashboard.call('POST', '/schedules', scheduleBody('backup', { rule: { in: 'PT0.1S' }, target }));
  await eventually(async () => (await dashboard.call('GET', '/alerts?state=open')).items.length > 0);
  const page = await dashboard.signIn();
  await page.getByRole('link', { name: '1 in breach of an objective' }).waitFor();
  await page.goto(`${dashboard.url}/alerts`);
  await page.getByText('no ping came within 1 second').waitFor();
  await page.getByRole('link', { name: 'Schedule backup' }).click();
  await page.getByRole('heading', { name: 'Objectives' }).waitFor();
  await page.getByText('in breach').waitFor();
  const { url } = await dashboard.call('GET', '/schedules/backup/heartbeat');
  await page.getByText(url).waitFor();
  await page.getByRole('button', { name: 'Make a new URL' }).click();
  await page.getByText('The old one is refused from now on.').waitFor();
  expect((await fetch(url)).status).toBe(404);
});

it('an admin creates, tests and deletes an alert channel in the dashboard, and starts a maintenance window', async () => {
  const page = await dashboard.signIn({ path: '/alerts' });
  await page.getByRole('button', { name: 'New channel' }).click();
  await page.getByLabel('Id').fill('on-call');
  await page.getByLabel('URL').fill('http://127.0.0.1:9/alerts');
  await page.getByRole('button', { name: 'Create channel' }).click();
  await page.getByRole('cell', { name: 'on-call' }).waitFor();
  await page.getByRole('button', { name: 'Test' }).click();
  await page.getByText(/The test message is pending: .*ECONNREFUSED/).waitFor();
  await page.getByRole('button', { name: 'Silence alerts' }).click();
  await page.getByLabel('Note').fill('upgrade');
  await page.getByRole('button', { name: 'Silence', exact: true }).click();
  await page.getByText('All schedules, from').waitFor();
  await page.getByRole('button', { name: 'End it' }).click();
  await page.getByText('No maintenance window').waitFor();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No channels yet').waitFor();
});

it('the schedule form of the dashboard sets the objectives of a schedule', async () => {
  await dashboard.call('POST', '/schedules', scheduleBody('watched'));
  const page = await dashboard.signIn({ path: '/schedules/watched/edit' });
  await page.getByText('Objectives and alerts').click();
  await page.getByLabel('Starts within').fill('PT2M');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('Starts within 2 min.').waitFor();
  expect((await dashboard.call('GET', '/schedules/watched')).slo).toEqual({ startWithin: 'PT2M' });
});
