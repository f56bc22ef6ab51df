import { eventually, useReceiver } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { scheduleBody, useDashboard } from './use-dashboard.js';

const dashboard = useDashboard();
const receiver = useReceiver();

// The tests depend on their order: the first ones need an empty project, and later ones use schedules that earlier ones
// created.
describe('The dashboard in a browser', () => {
  it('signing in to the dashboard with a wrong key is refused with a reason; with the right key, signing in and out works', async () => {
    const page = await dashboard.open();
    await page.getByLabel('API key').fill('not-a-key-of-this-installation');
    const refused = page.waitForEvent('console', (message) => message.text().includes('401'));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await refused;
    await page.getByRole('alert').getByText('unknown, expired or revoked').waitFor();
    dashboard.forgive(/401/);
    await page.getByLabel('API key').fill(dashboard.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    const stored = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    );
    expect(stored).not.toContain(dashboard.key);
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
    await page.getByLabel('API key').waitFor();
  });

  it('the dashboard of an empty project offers to create a first schedule, and shows its run as it fires', async () => {
    const page = await dashboard.signIn();
    await page.getByRole('heading', { name: 'Your first schedule' }).waitFor();
    await page.getByLabel('Fires in (seconds)').fill('2');
    for (const [way, text] of Object.entries({
      curl: 'curl -X POST',
      TypeScript: 'await carillon',
      CLI: '--in 2s',
    })) {
      await page.getByRole('button', { name: way, exact: true }).click();
      await page
        .getByRole('region', { name: `the same as ${way}` })
        .getByText(text)
        .waitFor();
    }
    await page.getByRole('button', { name: 'Create and watch it fire' }).click();
    await page.getByText('Succeeded').first().waitFor();
    await page.getByRole('link', { name: 'See its ledger' }).click();
    await page.getByRole('cell', { name: 'Succeeded' }).waitFor();
    await page.getByRole('cell', { name: /ran \d+ ms late/ }).waitFor();
  });

  it('the schedule form of the dashboard previews the rule and keeps its draft through a reload, and the new schedule’s page shows its runs', async () => {
    const page = await dashboard.signIn();
    await page.getByRole('link', { name: 'Schedules', exact: true }).click();
    await page.getByRole('link', { name: 'New schedule' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Pulse');
    await page.getByLabel('Id', { exact: true }).fill('pulse');
    await page.getByLabel('Time zone').fill('Europe/Berlin');
    await page.getByText('at 09:00 on weekdays, Berlin time').waitFor();
    await page.getByText('Cron', { exact: true }).click();
    await page.getByLabel('Cron expression').fill('61 * * * *');
    await page.getByText('The rule does not hold yet').waitFor();
    dashboard.forgive(/400/);
    await page.getByText('Every', { exact: true }).click();
    await page.getByRole('spinbutton', { name: 'Every' }).fill('2');
    await page.getByLabel('Unit').selectOption('seconds');
    await page.getByText('every 2 seconds').waitFor();
    await page.getByLabel('URL').fill(receiver.url('status/200/pulse'));
    await page.reload();
    await page.getByText('Your draft was kept.').waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Pulse');
    await page.getByRole('button', { name: 'Create schedule' }).click();
    await page.getByRole('heading', { name: 'Pulse', level: 1 }).waitFor();
    // The test does not reload the page, so these runs can only have come by the event stream.
    await page.getByRole('cell', { name: 'Succeeded' }).nth(1).waitFor();
    expect(receiver.to('status/200/pulse').length).toBeGreaterThan(0);
  });

  it('the dashboard page of a schedule can pause, resume, trigger and cancel it, and reschedule or skip its next occurrence', async () => {
    await dashboard.call('POST', '/schedules', scheduleBody('acted-on', { rule: { every: 'P1D' } }));
    const page = await dashboard.signIn({ path: '/schedules/acted-on' });
    const act = async (name: string) => {
      await page.getByRole('button', { name, exact: true }).click();
      return page.getByRole('dialog');
    };
    let dialog = await act('Pause');
    await dialog.getByLabel('Note').fill('incident 7');
    await dialog.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByText('“incident 7”').first().waitFor();

    dialog = await act('Resume');
    await dialog.getByRole('button', { name: 'Resume', exact: true }).click();
    await page.getByRole('button', { name: 'Skip next' }).waitFor();

    dialog = await act('Run now');
    await dialog.getByRole('button', { name: 'Run now' }).click();
    await page
      .getByRole('cell', { name: /triggered by / })
      .first()
      .waitFor();

    dialog = await act('Move next');
    await dialog.getByLabel(/New time/).fill('2031-05-06T07:08:09');
    await dialog.getByRole('button', { name: 'Move next' }).click();
    await eventually(
      async () =>
        (await dashboard.call('GET', '/schedules/acted-on')).nextRunAt === '2031-05-06T07:08:09.000Z',
      { what: 'the moved occurrence' },
    );

    dialog = await act('Skip next');
    await dialog.getByRole('button', { name: 'Skip next' }).click();
    await eventually(
      async () =>
        (await dashboard.call('GET', '/schedules/acted-on')).nextRunAt !== '2031-05-06T07:08:09.000Z',
      { what: 'the skipped occurrence' },
    );

    dialog = await act('Cancel');
    await dialog.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByText('Cancelled', { exact: true }).first().waitFor();
    expect((await dashboard.call('GET', '/schedules/acted-on')).status).toBe('cancelled');
  });

  it('if an edit in the dashboard conflicts with another edit, the page shows both side by side, and the user can still save', async () => {
    await dashboard.call('POST', '/schedules', scheduleBody('contested'));
    const page = await dashboard.signIn({ path: '/schedules/contested/edit' });
    await page.getByLabel('Name', { exact: true }).fill('Mine');
    await dashboard.call('PATCH', '/schedules/contested', { timezone: 'Asia/Tokyo' });
    await page.getByRole('button', { name: 'Save changes' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Asia/Tokyo').waitFor();
    dashboard.forgive(/412/);
    await dialog.getByRole('cell', { name: 'Mine' }).waitFor();
    await dialog.getByRole('button', { name: 'Save mine on top of theirs' }).click();
    await page.getByRole('heading', { name: 'Mine', level: 1 }).waitFor();
    expect(await dashboard.call('GET', '/schedules/contested')).toMatchObject({
      name: 'Mine',
      timezone: 'Asia/Tokyo',
    });
    await page.getByRole('link', { name: 'Versions' }).click();
    await page.getByText('Version 3', { exact: true }).waitFor();
  });

  it('the dashboard pauses all schedules that match a filter only after a dry run and after the user has typed their number', async () => {
    const items = Array.from({ length: 130 }, (_, index) =>
      scheduleBody(`herd-${index}`, { tags: ['herd'] }),
    );
    await dashboard.call('POST', '/schedules/bulk', { items });
    const page = await dashboard.signIn({ path: '/schedules?tag=herd' });
    await page.getByLabel('Select all shown').check();
    await page.getByRole('button', { name: 'Select all that match' }).click();
    await page.getByRole('toolbar').getByRole('button', { name: 'Pause…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('130 schedules').waitFor();
    expect((await dashboard.call('GET', '/schedules?tag=herd&status=paused')).items).toEqual([]);
    const go = dialog.getByRole('button', { name: 'Pause 130' });
    expect(await go.isDisabled()).toBe(true);
    await dialog.getByLabel('Type 130 to confirm').fill('130');
    await go.click();
    await dialog.getByText('130 changed').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    expect((await dashboard.call('GET', '/schedules?tag=herd&status=active')).items).toEqual([]);
  });

  it('the dashboard groups dead letters by receiver and error, and replays one group after a dry run', async () => {
    const fails = (id: string, path: string) =>
      scheduleBody(id, {
        rule: { in: 'PT0.1S' },
        retry: { maxAttempts: 1 },
        target: { type: 'webhook', url: receiver.url(path) },
      });
    const items = [
      fails('dead-1', 'flaky/2/dead'),
      fails('dead-2', 'flaky/2/dead'),
      fails('lost', 'status/404'),
    ];
    await dashboard.call('POST', '/schedules/bulk', { items });
    const statusesOf = async (id: string) =>
      (await dashboard.call('GET', `/runs?schedule=${id}`)).items.map(
        ({ status }: { status: string }) => status,
      );
    for (const { id } of items)
      await eventually(async () => (await statusesOf(id))[0] === 'failed', {
        what: `the failed run of ${id}`,
      });
    const page = await dashboard.signIn();
    await page.getByRole('link', { name: 'Dead letters' }).click();
    const group = page.getByRole('row', { name: /flaky\/2\/dead/ });
    await group.getByRole('cell', { name: '2', exact: true }).waitFor();
    await page.getByRole('row', { name: /status\/404/ }).waitFor();
    await group.getByRole('button', { name: 'Replay…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('2 runs').waitFor();
    await dialog.getByText('of 2 schedules would be tried once more').waitFor();
    expect(await statusesOf('dead-1')).toEqual(['failed']);
    await dialog.getByLabel('Runs a second').fill('50');
    await dialog.getByRole('button', { name: 'Replay 2' }).click();
    for (const id of ['dead-1', 'dead-2'])
      await eventually(async () => (await statusesOf(id))[0] === 'succeeded', {
        what: `the replay of ${id}`,
      });
    await group.waitFor({ state: 'detached' });
    expect(await statusesOf('lost')).toEqual(['failed']);
  });

  it('new runs in the dashboard’s list of runs wait behind a button and do not push the list down', async () => {
    await dashboard.call('POST', '/schedules', scheduleBody('pressed'));
    await dashboard.call('POST', '/schedules/pressed/trigger');
    const page = await dashboard.signIn({ path: '/runs?schedule=pressed' });
    const rows = page.getByRole('main').locator('tbody tr');
    await rows.first().waitFor();
    for (let n = 0; n < 3; n++) await dashboard.call('POST', '/schedules/pressed/trigger');
    await page.getByRole('button', { name: '3 new: show' }).waitFor();
    expect(await rows.count()).toBe(1);
    await page.getByRole('button', { name: '3 new: show' }).click();
    await rows.nth(3).waitFor();
  });

  it('the schedule form of the dashboard sends a test delivery and shows how the receiver answered', async () => {
    const page = await dashboard.signIn({ path: '/schedules/new' });
    await page.getByLabel('URL').fill(receiver.url('status/418/tried'));
    await page.getByRole('button', { name: 'Send a test delivery' }).click();
    await page.getByRole('link', { name: /answered 418/ }).waitFor();
    expect(receiver.to('status/418/tried')).toHaveLength(1);
  });

  it('with the keyboard alone, a user can use the dashboard’s command palette and timeline, create a schedule and pause it', async () => {
    const page = await dashboard.open();
    await page.getByLabel('API key').waitFor();
    await page.keyboard.type(dashboard.key);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /Go to/ }).waitFor();
    const box = await page.getByRole('combobox', { name: /Go to/ }).boundingBox();
    expect(box?.y, 'the field of the palette is on the screen').toBeGreaterThan(0);
    await page.keyboard.type('new sch');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'New schedule', level: 1 }).waitFor();
    await page.getByLabel('Name', { exact: true }).focus();
    await page.keyboard.type('By keyboard');
    await page.keyboard.press('Tab');
    await page.keyboard.type('by-keyboard');
    await page.getByLabel('URL').focus();
    await page.keyboard.type(receiver.url('status/200/keyboard'));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'By keyboard', level: 1 }).waitFor();
    const marks = page.getByRole('group', { name: /Timeline/ }).getByRole('button');
    await marks.first().focus();
    await page.keyboard.press('ArrowRight');
    expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toMatch(/Upcoming/);
    await page.getByRole('button', { name: 'Pause', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByLabel('Note').focus();
    await page.keyboard.type('from the keyboard');
    await page.keyboard.press('Enter');
    await page.getByText('“from the keyboard”').first().waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    await page.getByRole('heading', { name: 'Schedules', level: 1 }).waitFor();
    await page.keyboard.press('Shift+?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  });
});
