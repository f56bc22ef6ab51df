import { useReceiver } from '@carillon/testkit';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { scheduleBody, useDashboard } from './use-dashboard.js';

// The tests advance a simulated time over the night of 25 October 2026, in which the clocks of Berlin go back.
const dashboard = useDashboard({ now: '2026-10-22T12:00:00Z' });
const receiver = useReceiver();

const ORDER = '9007199254740993';

beforeAll(async () => {
  const nightly = { timezone: 'Europe/Berlin', misfire: { policy: 'skip' } };
  await dashboard.call(
    'POST',
    '/schedules',
    scheduleBody('nightly', { rule: { cron: '30 2 * * *' }, ...nightly }),
  );
  const exact = JSON.stringify(scheduleBody('exact', { rule: { every: 'P1D' } }));
  await dashboard.call('POST', '/schedules', exact.replace(/}$/, `,"payload":{"order":${ORDER}}}`));
  await dashboard.advanceTo('2026-10-22T13:00:00Z');
  await dashboard.call('POST', '/schedules/nightly/pause', { note: 'incident 7' });
  await dashboard.advanceTo('2026-10-23T13:00:00Z');
  await dashboard.call('POST', '/schedules/nightly/resume');
  await dashboard.advanceTo('2026-10-24T13:00:00Z');
  await dashboard.call('PATCH', '/schedules/nightly', { timeout: 'PT20S' });
  const often = { rule: { every: 'PT1M' }, misfire: { policy: 'skip' } };
  await dashboard.advanceTo('2026-10-26T12:00:00Z');
  await dashboard.call('POST', '/schedules', scheduleBody('often', often));
  await dashboard.call('POST', '/schedules/often/pause', { note: 'incident 8' });
  await dashboard.advanceTo('2026-10-26T14:00:00Z');
  await dashboard.call('POST', '/schedules/often/resume');
  const tenMinutes = (path: string) => ({
    rule: { every: 'PT10M' },
    // Each run has only one attempt, so that a failure is final at once.
    retry: { maxAttempts: 1 },
    target: { type: 'webhook', url: receiver.url(path) },
  });
  await dashboard.call('POST', '/schedules', scheduleBody('well', tenMinutes('status/200')));
  await dashboard.call('POST', '/schedules', scheduleBody('ill', tenMinutes('status/400')));
  await dashboard.call('POST', '/schedules', scheduleBody('gone', tenMinutes('status/410')));
  // The statistics have only whole minutes that are over. So nothing may fire in the last two minutes, or it would be
  // missing from them.
  await dashboard.advanceTo('2026-10-26T14:12:00Z');
  await dashboard.call('POST', '/schedules/often/pause');
  await dashboard.advanceTo('2026-10-26T14:14:00Z');
  await dashboard.countStats();
});

const timelineOf = (page: Page): Locator => page.getByRole('group', { name: /Timeline/ });
const labelsOf = (marks: Locator): Promise<string[]> =>
  marks.evaluateAll((all) => all.map((each) => each.getAttribute('aria-label') ?? ''));

describe('The timeline of a schedule', () => {
  it('the dashboard’s timeline of a schedule marks edits, pauses, resumes and DST changes, each with a sentence', async () => {
    const page = await dashboard.signIn({ path: '/schedules/nightly' });
    const flags = timelineOf(page).getByRole('button');
    await flags
      .filter({ has: page.locator('svg.lucide') })
      .nth(3)
      .waitFor();
    const labels = await labelsOf(flags.filter({ has: page.locator('svg.lucide') }));
    expect(labels).toEqual([
      'Thu, 22 Oct 2026, 15:00:00 CEST: paused by admin: incident 7',
      'Fri, 23 Oct 2026, 15:00:00 CEST: resumed by admin',
      'Sat, 24 Oct 2026, 15:00:00 CEST: edited by admin, version 4',
      'Sun, 25 Oct 2026, 02:00:00 CET: clocks go back 1 h 03:00 CEST becomes 02:00 CET: 02:30 happens twice, fires at the first',
    ]);
  });

  it('the dashboard’s timeline marks an occurrence that a DST change affects, and says what the change does to it', async () => {
    const page = await dashboard.signIn({ path: '/schedules/nightly' });
    const marked = timelineOf(page).getByRole('button').filter({ hasText: 'DST' });
    await marked.click();
    expect(await labelsOf(marked)).toEqual([
      expect.stringMatching(
        /02:30:00 CEST: Succeeded.*clocks go back: 02:30 happens twice, fires at the first/,
      ),
    ]);
    await page.getByText('02:30 happens twice, fires at the first').first().waitFor();
  });

  it('the dashboard’s timeline hatches a stretch of occurrences that did not run, and says how many these are and why they did not run', async () => {
    const page = await dashboard.signIn({ path: '/schedules/often' });
    const gap = timelineOf(page).locator('.hatched');
    await gap.waitFor();
    expect(await gap.textContent()).toMatch(/^120 .*paused/);
    expect(await gap.getAttribute('title')).toMatch(/^120 occurrences: .*paused/);
    expect(
      await page.evaluate("getComputedStyle(document.querySelector('.hatched')).backgroundImage"),
    ).toContain('gradient');
    await page.getByRole('row', { name: /120 occurrences/ }).waitFor();
  });

  it('the arrow keys move along the marks of the dashboard’s timeline, and screen readers announce each mark’s sentence', async () => {
    const page = await dashboard.signIn({ path: '/schedules/nightly' });
    const marks = timelineOf(page).getByRole('button');
    await marks.first().waitFor();
    const labels = await labelsOf(marks);
    await marks.first().focus();
    for (const label of labels) {
      expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe(label);
      const sentence = await page
        .locator('[aria-live=polite]', { hasText: label.slice(0, 16) })
        .textContent();
      expect(sentence, `the sentence for ${label}`).not.toBe('');
      await page.keyboard.press('ArrowRight');
    }
    await page.keyboard.press('ArrowLeft');
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe(labels.at(-2));
  });
});

describe('Integers beyond 2^53', () => {
  it('the dashboard shows integers beyond 2^53 in a payload exactly, and an edit keeps them', async () => {
    const page = await dashboard.signIn({ path: '/schedules/exact?tab=definition' });
    await page.getByText(`{"order":${ORDER}}`).waitFor();
    await page.getByRole('button', { name: 'curl' }).click();
    await page.getByRole('region', { name: /curl/ }).getByText(ORDER).waitFor();
    const [run] = (await dashboard.call('GET', '/runs?schedule=exact&limit=1')).items;
    await page.goto(`${dashboard.url}/runs/${run.id}`);
    await page.getByRole('region', { name: 'payload' }).getByText(ORDER).waitFor();
    await page.goto(`${dashboard.url}/schedules/exact/edit`);
    expect(await page.getByLabel('Payload').inputValue()).toContain(ORDER);
    await page.getByLabel('Payload').fill(`{ "order": ${ORDER}, "part": 1 }`);
    await page.reload();
    expect(await page.getByLabel('Payload').inputValue()).toContain(ORDER);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('link', { name: 'Versions' }).click();
    await page.getByText(`{"order":${ORDER},"part":1}`).waitFor();
  });

  it('integers beyond 2^53 in a payload stay exact when the dashboard page refreshes its data', async () => {
    const page = await dashboard.signIn({ path: '/schedules/exact?tab=definition' });
    await page.getByText(ORDER).waitFor();
    await dashboard.call('PATCH', '/schedules/exact', { name: 'Renamed' });
    await page.getByRole('heading', { name: 'Renamed', level: 1 }).waitFor();
    expect(await page.getByText(ORDER).count()).toBeGreaterThan(0);
  });
});

describe('The overview', () => {
  const rowsOf = (page: Page) => page.getByRole('main').locator('tbody tr');

  it('each count of runs by outcome on the dashboard’s overview links to exactly these runs', async () => {
    const page = await dashboard.signIn();
    for (const word of ['Succeeded', 'Failed', 'Skipped', 'Cancelled']) {
      const figure = page.getByRole('main').getByRole('link', { name: new RegExp(`^${word} \\d`) });
      const count = Number(((await figure.textContent()) ?? '').replaceAll(/\D/g, ''));
      await figure.click();
      await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();
      if (count === 0) await page.getByText('No run matches').waitFor();
      else
        await page
          .getByRole('cell', { name: word })
          .nth(count - 1)
          .waitFor();
      expect(await rowsOf(page).count(), `runs that ended as ${word}`).toBe(count);
      await page.goBack();
    }
  });

  it('on the dashboard’s overview, each reason why schedules need attention links to these schedules', async () => {
    const page = await dashboard.signIn();
    const reasons = { '2 failed within the last day': ['gone', 'ill'], '1 paused by Carillon': ['gone'] };
    for (const [words, ids] of Object.entries(reasons)) {
      await page.getByRole('link', { name: words }).click();
      await page.getByRole('heading', { name: 'Schedules', level: 1 }).waitFor();
      for (const id of ids) await page.getByRole('link', { name: `Schedule ${id}` }).waitFor();
      expect(await rowsOf(page).count(), words).toBe(ids.length);
      await page.getByRole('button', { name: 'Remove filter needs attention' }).waitFor();
      await page.goBack();
    }
  });

  it('on the dashboard’s overview, the figures of the engine, of lateness and of the next fires are links to their details', async () => {
    const page = await dashboard.signIn();
    for (const name of [/^Late, p50/, /^Late, p99/, 'up', '1', 'All that fire next'])
      await page.getByRole('main').getByRole('link', { name, exact: true }).first().waitFor();
    expect(
      await page
        .locator('dd')
        .filter({ hasNot: page.getByRole('link') })
        .count(),
    ).toBe(0);
  });
});
