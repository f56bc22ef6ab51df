import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { eventually } from '@carillon/testkit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, it } from 'vitest';
import { useDashboard } from '../browser/use-dashboard.js';
import { answerOf, BEGIN_AT, HANDLERS, makeHistory } from './world.js';

// `pnpm screenshots` runs this file. It lets the real engine play two weeks of a project on a simulated clock, and then
// takes the screenshots for docs/images.
const IMAGES = fileURLToPath(new URL('../../docs/images/', import.meta.url));
const PAGES: Record<string, string> = {
  overview: '/',
  schedules: '/schedules?tag=core',
  schedule: '/schedules/nightly-export',
  'schedule-versions': '/schedules/nightly-export?tab=versions',
  'schedule-definition': '/schedules/nightly-export?tab=definition',
  'new-schedule': '/schedules/new',
  'edit-schedule': '/schedules/invoice-reminder/edit',
  runs: '/runs',
  'dead-letters': '/dead-letters',
  forecast: '/forecast',
  alerts: '/alerts',
  calendars: '/calendars',
  people: '/people',
  audit: '/audit',
  keys: '/keys',
  system: '/system',
};
const SIZES = { wide: { width: 1_280, height: 860 }, narrow: { width: 390, height: 844 } };
const THEMES = ['light', 'dark'] as const;

const dashboard = useDashboard({ now: BEGIN_AT, handlers: HANDLERS });
const receiver = createServer((request, response) => {
  request.resume().on('end', () => {
    const status = answerOf(request.url ?? '/', dashboard.now());
    const answer = status === 200 ? { accepted: true } : { error: 'not now', status };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
});
let failedRun: string;

beforeAll(async () => {
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  failedRun = await makeHistory(dashboard, `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`);
}, 600_000);
afterAll(() => {
  receiver.closeAllConnections();
  receiver.close();
});

async function waitUntilStill(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor();
  await page.waitForLoadState('networkidle').catch(() => {});
  await eventually(async () => (await page.locator('[aria-busy=true], .skeleton').count()) === 0);
  await page.evaluate('document.fonts.ready');
}

for (const [size, viewport] of Object.entries(SIZES)) {
  for (const colorScheme of THEMES) {
    it(`takes the ${size} ${colorScheme} screenshots of every page of the dashboard`, {
      timeout: 300_000,
    }, async () => {
      const take = async (page: Page, name: string) => {
        await waitUntilStill(page);
        await page.screenshot({ path: `${IMAGES}${name}-${size}-${colorScheme}.png` });
      };
      const options = { viewport, colorScheme, timezoneId: 'Europe/Berlin', locale: 'en-GB' };
      await take(await dashboard.open(options), 'sign-in');
      const page = await dashboard.signIn(options);
      for (const [name, path] of [...Object.entries(PAGES), ['run', `/runs/${failedRun}`] as const]) {
        await page.goto(dashboard.url + path);
        await take(page, name);
      }
    });
  }
}
