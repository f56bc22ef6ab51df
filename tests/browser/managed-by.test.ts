import { beforeAll, describe, expect, it } from 'vitest';
import { scheduleBody, useDashboard } from './use-dashboard.js';

const dashboard = useDashboard({ hasWorker: false });

beforeAll(async () => {
  await dashboard.call('POST', '/schedules', scheduleBody('invoices', { tags: ['set:billing'] }));
  await dashboard.call('POST', '/schedules', scheduleBody('free'));
});

describe('A schedule that comes from a file', () => {
  it('the dashboard page of a schedule that comes from a file names the set of the file, and links to the schedules of that set', async () => {
    const page = await dashboard.signIn({ path: '/schedules/invoices' });
    await page.getByText('managed by').waitFor();
    await page.getByRole('link', { name: 'set billing' }).click();
    await page.waitForURL(/\/schedules\?tag=/);
    await page.getByText('invoices').first().waitFor();
  });

  it('the dashboard form of a schedule that comes from a file warns that the next `carillon apply` overwrites an edit', async () => {
    const page = await dashboard.signIn({ path: '/schedules/invoices/edit' });
    expect(await page.getByRole('note').textContent()).toContain('managed by the files of the set billing');
  });

  it('the dashboard’s audit log names the set of a schedule that comes from a file, and the page of any other schedule names no set', async () => {
    const page = await dashboard.signIn({ path: '/audit' });
    await page.getByText('managed by set billing').first().waitFor();
    await page.goto(`${dashboard.url}/schedules/free`);
    await page.getByText('version 1').first().waitFor();
    expect(await page.getByText('managed by').count()).toBe(0);
  });
});
