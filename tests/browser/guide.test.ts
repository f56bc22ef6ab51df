import axe from 'axe-core';
import { describe, expect, it } from 'vitest';
import { useDashboard } from './use-dashboard.js';

const dashboard = useDashboard({ hasWorker: false });
const RULE_SETS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

// Each violation of the content security policy is an error in the console of the browser, and so fails a test.
describe('The guide in a browser', () => {
  it('the search of the guide finds a section and leads to it', async () => {
    const page = await dashboard.open();
    await page.goto(`${dashboard.url}/guide`);
    await page.keyboard.press('/');
    await page.keyboard.type('deduplicate webhook-id');
    const [result] = await page.locator('search li a').all();
    expect(await result?.textContent()).toContain('Three rules for a receiver');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/guide\/cookbook\/webhook-receiver#three-rules-for-a-receiver$/);
    await page.getByRole('link', { name: 'Deliveries', exact: true }).first().click();
    await page.getByRole('heading', { name: 'Deliveries', level: 1 }).waitFor();
  });

  it('two pages of the guide have no violation that the accessibility checker axe finds, and do not scroll sideways, both in a wide light window and in a narrow dark one', async () => {
    for (const [colorScheme, width] of [
      ['light', 1_280],
      ['dark', 390],
    ] as const) {
      const page = await dashboard.open({ colorScheme, viewport: { width, height: 860 } });
      for (const path of ['tutorial', 'state-machine']) {
        await page.goto(`${dashboard.url}/guide/${path}`);
        await page.evaluate(axe.source);
        const violations = await page.evaluate<axe.Result[]>(
          `axe.run(document, ${JSON.stringify({ runOnly: RULE_SETS, resultTypes: ['violations'] })}).then((result) => result.violations)`,
        );
        const violationTexts = violations.map(
          ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`,
        );
        expect(violationTexts, `${path}, ${colorScheme}, ${width} px`).toEqual([]);
        const wider = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        expect(wider, `${path}, ${width} px`).toBe(0);
      }
    }
  });
});
