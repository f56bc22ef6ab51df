import { describe, expect, it } from 'vitest';
import { scheduleBody, useDashboard } from './use-dashboard.js';

const dashboard = useDashboard({ hasWorker: false });

describe('Behaviour of the dashboard', () => {
  it('while no worker is alive, every dashboard page says that nothing fires', async () => {
    const page = await dashboard.signIn();
    await page.getByRole('alert').getByText('No worker is alive, so nothing fires.').waitFor();
    await page.getByRole('link', { name: 'Forecast' }).click();
    await page.getByRole('alert').getByText('No worker is alive').waitFor();
  });

  it('schedules that are created while a dashboard list is open wait behind a button instead of pushing the list down', async () => {
    await dashboard.call('POST', '/schedules', scheduleBody('shown'));
    const page = await dashboard.signIn({ path: '/schedules' });
    await page.getByRole('link', { name: 'Schedule shown' }).waitFor();
    for (const id of ['arrived', 'came-too', 'and-this'])
      await dashboard.call('POST', '/schedules', scheduleBody(id));
    await page.getByRole('button', { name: '3 new: show' }).waitFor();
    expect(await page.getByRole('link', { name: 'Schedule arrived' }).count()).toBe(0);
    await page.getByRole('button', { name: '3 new: show' }).click();
    await page.getByRole('link', { name: 'Schedule arrived' }).waitFor();
  });

  it('the dashboard shows a change that was made while its event stream was not open yet', async () => {
    await dashboard.call('POST', '/schedules', scheduleBody('unheard'));
    const page = await dashboard.signIn();
    let openStream = () => {};
    const mayOpen = new Promise<void>((resolve) => {
      openStream = resolve;
    });
    await page.route('**/v1/events**', async (route) => {
      await mayOpen;
      await route.continue();
    });
    await page.goto(`${dashboard.url}/schedules?q=unheard`);
    await page.getByRole('link', { name: 'Schedule unheard' }).waitFor();
    await dashboard.call('POST', '/schedules/unheard/pause', { note: 'before the stream' });
    openStream();
    await page.getByText('“before the stream”').waitFor();
  });

  it('the dashboard keeps the search and the filters of a list in the URL, so that they survive a reload', async () => {
    await dashboard.call('POST', '/schedules', scheduleBody('needle', { tags: ['hay'] }));
    const page = await dashboard.signIn({ path: '/schedules?tag=hay' });
    await page.getByRole('link', { name: 'Schedule needle' }).waitFor();
    await page.getByRole('searchbox').fill('needle');
    await page.waitForURL(/q=needle/);
    await page.reload();
    await page.getByRole('link', { name: 'Schedule needle' }).waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('needle');
    await page.getByRole('button', { name: 'Remove filter tag' }).click();
    await page.waitForURL((url) => !url.search.includes('tag='));
  });

  it('the dashboard shows a banner when the event stream is lost, and says that the page may be out of date', async () => {
    const page = await dashboard.open();
    await page.route('**/v1/events**', (route) => route.abort());
    await page.getByLabel('API key').fill(dashboard.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('The event stream is lost.').waitFor();
    dashboard.forgive(/ERR_FAILED/);
  });

  it('the dashboard reopens an event stream that was refused, and then removes the banner about it', async () => {
    const page = await dashboard.open();
    let isRefused = true;
    await page.route('**/v1/events**', (route) =>
      isRefused ? route.fulfill({ status: 503 }) : route.continue(),
    );
    await page.getByLabel('API key').fill(dashboard.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('The event stream is lost.').waitFor();
    isRefused = false;
    await page.getByText('The event stream is lost.').waitFor({ state: 'detached' });
    dashboard.forgive(/503/);
  });

  it('two dashboard tabs of one browser share an event stream, and the second opens its own when the first is closed', async () => {
    const first = await dashboard.signIn();
    await first.getByRole('button', { name: 'Live' }).waitFor();
    const second = await first.context().newPage();
    let streams = 0;
    second.on('request', (request) => {
      if (request.url().includes('/v1/events')) streams++;
    });
    await second.goto(`${dashboard.url}/schedules`);
    await second.getByRole('link', { name: 'Schedule shown' }).waitFor();
    await dashboard.call('POST', '/schedules/shown/pause', { note: 'heard in both tabs' });
    await second.getByText('“heard in both tabs”').waitFor();
    expect(streams).toBe(0);
    const taken = second.waitForRequest((request) => request.url().includes('/v1/events'));
    await first.close();
    await taken;
    await dashboard.call('POST', '/schedules/shown/resume');
    await second.getByText('“heard in both tabs”').waitFor({ state: 'detached' });
  });

  it('a dashboard page with Live switched off does not change until Live is switched on again', async () => {
    await dashboard.call('POST', '/schedules', scheduleBody('held'));
    const page = await dashboard.signIn({ path: '/schedules?q=held' });
    await page.getByRole('link', { name: 'Schedule held' }).waitFor();
    await page.getByRole('button', { name: 'Live' }).click();
    const other = await dashboard.signIn({ path: '/schedules?q=held' });
    await other.getByRole('link', { name: 'Schedule held' }).waitFor();
    await dashboard.call('POST', '/schedules/held/pause', { note: 'unseen' });
    // The other page shows the change, which the event stream has brought. The page with Live switched off must not
    // show it.
    await other.getByText('“unseen”').waitFor();
    expect(await page.getByText('“unseen”').count()).toBe(0);
    await page.getByRole('button', { name: 'Held' }).click();
    await page.getByText('“unseen”').waitFor();
  });

  it('the dashboard asks for another key after the key of its session was revoked', async () => {
    const { id, key } = await dashboard.call('POST', '/keys', { name: 'short-lived', scopes: ['read'] });
    const page = await dashboard.signIn({ key });
    await dashboard.call('DELETE', `/keys/${id}`);
    await page.getByLabel('API key').waitFor();
    dashboard.forgive(/401/);
  });

  it('the dashboard opens any page by its URL, and says that an unknown URL has no page', async () => {
    const page = await dashboard.signIn({ path: '/schedules/shown?tab=definition' });
    await page.getByRole('heading', { name: 'Schedule shown', level: 1 }).waitFor();
    await page.goto(`${dashboard.url}/no/such/page`);
    await page.getByText('There is no page at this address').waitFor();
  });

  it('if the edit form of a schedule is reloaded, its draft still conflicts with a change that was saved meanwhile', async () => {
    await dashboard.call('POST', '/schedules', scheduleBody('reloaded'));
    const page = await dashboard.signIn({ path: '/schedules/reloaded/edit' });
    await page.getByLabel('Name', { exact: true }).fill('Mine');
    await dashboard.call('PATCH', '/schedules/reloaded', { timezone: 'Asia/Tokyo' });
    await page.reload();
    await page.getByText('Your draft was kept.').waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Mine');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('dialog').getByRole('cell', { name: 'Asia/Tokyo' }).waitFor();
    dashboard.forgive(/412/);
    await page.getByRole('button', { name: 'Save mine on top of theirs' }).click();
    await page.getByRole('heading', { name: 'Mine', level: 1 }).waitFor();
    expect((await dashboard.call('GET', '/schedules/reloaded')).timezone).toBe('Asia/Tokyo');
  });

  it('the dashboard shows times in the time zone that the user chose, and the choice survives a reload', async () => {
    const zoned = { rule: { cron: '30 8 1 1 *' }, timezone: 'Asia/Kathmandu' };
    await dashboard.call('POST', '/schedules', scheduleBody('zoned', zoned));
    const page = await dashboard.signIn({ path: '/schedules/zoned', timezoneId: 'America/New_York' });
    const next = page.getByRole('main').locator('time').filter({ hasText: ':00' }).first();
    await next.getByText('08:30:00').waitFor();
    await page.getByLabel('Show times in').selectOption('utc');
    await next.getByText('02:45:00').waitFor();
    await page.getByLabel('Show times in').selectOption('mine');
    await page.reload();
    await next.getByText('21:45:00').waitFor();
  });

  it('the dashboard uses the theme of the system until the user chooses one, and the choice survives a reload', async () => {
    const page = await dashboard.signIn({ colorScheme: 'dark' });
    const isTheme = (theme: string) =>
      page.locator(`html[data-theme=${theme}]`).waitFor({ state: 'attached' });
    await isTheme('dark');
    await page.getByRole('button', { name: /^Theme: .*Change to: Light/ }).click();
    await isTheme('light');
    await page.reload();
    await isTheme('light');
  });

  it('signing out everywhere ends the dashboard sessions of the key in all browsers', async () => {
    const { key } = await dashboard.call('POST', '/keys', { name: 'travelled', scopes: ['read'] });
    const here = await dashboard.signIn({ key });
    const there = await dashboard.open();
    await there.getByLabel('API key').fill(key);
    await there.getByRole('button', { name: 'Sign in' }).click();
    await there.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await here.getByRole('button', { name: 'Account' }).click();
    await here.getByRole('menuitem', { name: 'Sign out everywhere' }).click();
    await here.getByLabel('API key').waitFor();
    await there.reload();
    await there.getByLabel('API key').waitFor();
    dashboard.forgive(/401/);
  });

  it('with a read-only key no dashboard page has a button that changes data, and each page names the missing scope', async () => {
    const { key } = await dashboard.call('POST', '/keys', { name: 'looker', scopes: ['read'] });
    await dashboard.call('PUT', '/calendars/holidays', { dates: ['2031-12-25'] });
    const page = await dashboard.signIn({ key });
    const buttons: string[] = [];
    for (const path of READABLE) {
      await page.goto(dashboard.url + path);
      await page.getByText('it lacks the scope write').waitFor();
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
      const main = page.getByRole('main');
      for (const role of ['button', 'link'] as const)
        for (const each of await main.getByRole(role, { name: CHANGES }).all())
          buttons.push(`${path}: ${await each.textContent()}`);
    }
    expect(buttons).toEqual([]);
    for (const path of ['/schedules/new', '/schedules/shown/edit']) {
      await page.goto(dashboard.url + path);
      await page.getByRole('main').getByText('This key lacks the scope write').waitFor();
    }
  });
});

const READABLE = [
  '/',
  '/schedules',
  '/schedules/shown',
  '/schedules/shown?tab=definition',
  '/runs',
  '/dead-letters',
  '/forecast',
  '/alerts',
  '/calendars',
  '/people',
  '/audit',
  '/system',
];
/** The names of the buttons that change data. */
const CHANGES =
  /^(new|create|edit|delete|revoke|pause|resume|run now|move next|skip next|cancel|replay|scan|silence|end it|test|make a new)\b/i;
