import { eventually } from '@carillon/testkit';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { scheduleBody, useDashboard } from './use-dashboard.js';

/**
 * Sums the layout shifts (movements of content) of a page from its first paint on. Shifts that follow user input do not
 * count.
 */
const SUM_LAYOUT_SHIFTS = `
  globalThis.layoutShift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.layoutShift += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
`;

const dashboard = useDashboard({ initScript: SUM_LAYOUT_SHIFTS });

const PAGES = [
  '/',
  '/schedules',
  '/schedules/subject',
  '/schedules/subject?tab=runs',
  '/schedules/subject?tab=versions',
  '/schedules/subject?tab=definition',
  '/schedules/new',
  '/schedules/subject/edit',
  '/runs',
  '/dead-letters',
  '/forecast',
  '/alerts',
  '/schedules/heartbeat',
  '/calendars',
  '/people',
  '/audit',
  '/keys',
  '/system',
];
const SIGN_IN = 'the sign-in';
const FAILED_RUN = 'a run that failed';
const WIDTHS = [1_280, 390];
/** The rules of axe whose result depends on the theme. All other rules are checked in one theme only. */
const RULES_OF_COLOUR = ['color-contrast', 'link-in-text-block'];
const RULE_SETS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The maximum sum of layout shifts (the limit for "good" on web.dev). */
const MAX_LAYOUT_SHIFT = 0.1;

async function findViolations(page: Page, rules?: readonly string[]): Promise<string[]> {
  const only = rules ? { type: 'rule', values: rules } : RULE_SETS;
  const violations = await page.evaluate<axe.Result[]>(
    `axe.run(document, ${JSON.stringify({ runOnly: only, resultTypes: ['violations'] })}).then((result) => result.violations)`,
  );
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ html, any }) => `${html.slice(0, 160)} (${any[0]?.message})`).join(' | ')}`,
  );
}

/** Waits until the page has its heading and nothing on it is loading. */
async function waitUntilStill(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor();
  await eventually(async () => (await page.locator('[aria-busy=true], .skeleton').count()) === 0, {
    what: 'a page without skeletons',
  });
}

async function showTheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-theme=${colorScheme}]`).waitFor({ state: 'attached' });
}

/** Checks an open page in both themes and both widths; returns what is wrong with it. */
async function inspect(page: Page): Promise<string[]> {
  await waitUntilStill(page);
  const problems: string[] = [];
  const shift = await page.evaluate<number>('globalThis.layoutShift');
  if (shift > MAX_LAYOUT_SHIFT) problems.push(`moved while it loaded: layout shift ${shift.toFixed(3)}`);
  await page.evaluate(axe.source);
  for (const width of WIDTHS) {
    const note = (theme: string, violations: string[]) =>
      problems.push(...violations.map((violation) => `${width} px, ${theme}: ${violation}`));
    await page.setViewportSize({ width, height: 860 });
    note('light', await findViolations(page));
    await showTheme(page, 'dark');
    note('dark', await findViolations(page, RULES_OF_COLOUR));
    await showTheme(page, 'light');
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    if (overflow > 0) problems.push(`${width} px: scrolls sideways by ${overflow} pixels`);
  }
  return problems;
}

async function makeData(): Promise<string> {
  await dashboard.call('PUT', '/calendars/holidays', { dates: ['2026-12-25'] });
  await dashboard.call(
    'POST',
    '/schedules',
    scheduleBody('subject', { tags: ['billing'], rule: { every: 'PT1H' } }),
  );
  await dashboard.call('POST', '/schedules', scheduleBody('asleep'));
  await dashboard.call('POST', '/alert-channels', {
    id: 'on-call',
    type: 'webhook',
    url: 'http://127.0.0.1:9/alerts',
  });
  await dashboard.call('POST', '/maintenance-windows', { endAt: '2099-01-01T00:00:00Z', note: 'upgrade' });
  await dashboard.call('POST', '/schedules', {
    ...scheduleBody('heartbeat', { rule: { in: 'PT0.1S' }, target: { type: 'heartbeat', grace: 'PT1S' } }),
  });
  await eventually(async () => (await dashboard.call('GET', '/alerts')).items.length > 0, {
    what: 'an alert',
  });
  await dashboard.call('POST', '/schedules/asleep/pause', { note: 'incident 7' });
  await dashboard.call('PATCH', '/schedules/subject', { rule: { every: 'PT2H' } });
  await dashboard.call('POST', '/schedules/subject/trigger');
  await dashboard.call('POST', '/users', {
    firstName: 'Ada',
    lastName: 'Lovelace',
    dateOfBirth: '1990-12-10',
    timezone: 'Europe/London',
    target: { type: 'handler', name: 'noop' },
  });
  await dashboard.call(
    'POST',
    '/schedules',
    scheduleBody('broken', {
      rule: { in: 'PT0.1S' },
      retry: { maxAttempts: 1 },
      target: { type: 'webhook', url: 'http://127.0.0.1:9/closed' },
    }),
  );
  const failed = await eventually(async () => (await dashboard.call('GET', '/runs?status=failed')).items[0], {
    what: 'a failed run',
  });
  return failed.id;
}

describe('Every page of the dashboard', () => {
  let failedRun: string;
  beforeAll(async () => {
    failedRun = await makeData();
  });

  it.each([SIGN_IN, ...PAGES, FAILED_RUN])(
    'the accessibility checker axe finds no violation on the dashboard page "%s", which neither scrolls sideways nor shifts while it loads, in each theme and width',
    async (name) => {
      const path = name === FAILED_RUN ? `/runs/${failedRun}` : name;
      const page = await (name === SIGN_IN ? dashboard.open() : dashboard.signIn({ path }));
      expect(await inspect(page)).toEqual([]);
    },
  );

  it('the accessibility checker axe finds no violation in the dialogs, the command palette and the help sheet of the dashboard', async () => {
    const page = await dashboard.signIn({ path: '/schedules/subject' });
    await page.evaluate(axe.source);
    const violations: string[] = [];
    for (const name of ['Pause', 'Move next', 'Cancel']) {
      await page.getByRole('button', { name, exact: true }).click();
      await page.getByRole('dialog').waitFor();
      violations.push(...(await findViolations(page)));
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await page.goto(`${dashboard.url}/keys`);
    await page.evaluate(axe.source);
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByRole('region', { name: 'the signing secret' }).waitFor();
    await page.getByRole('button', { name: 'Rotate', exact: true }).click();
    await page.getByRole('dialog').waitFor();
    violations.push(...(await findViolations(page)));
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    for (const key of ['Control+k', 'Shift+?']) {
      await page.keyboard.press(key);
      await page.getByRole('dialog').waitFor();
      violations.push(...(await findViolations(page)));
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    expect(violations).toEqual([]);
  });
});
