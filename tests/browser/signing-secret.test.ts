import { describe, expect, it } from 'vitest';
import { useDashboard } from './use-dashboard.js';

const dashboard = useDashboard({ hasWorker: false });
const readSecret = async (): Promise<string> =>
  (await dashboard.call('GET', '/projects/default/secret')).secret;

describe('The signing secret', () => {
  it('the dashboard shows the signing secret of the project only if the admin asks for it, and can copy and hide it again', async () => {
    const secret = await readSecret();
    const page = await dashboard.signIn({
      path: '/keys',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const card = page.locator('section', { hasText: 'Signing secret' });
    await card.getByText('whsec_').waitFor();
    expect(await page.content()).not.toContain(secret);
    await card.getByRole('button', { name: 'Show' }).click();
    await card.getByText(secret).waitFor();
    await card.getByRole('button', { name: 'Copy the signing secret' }).click();
    await card.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret);
    await card.getByRole('button', { name: 'Hide' }).click();
    await card.getByText(secret).waitFor({ state: 'detached' });
  });

  it('before the dashboard rotates a signing secret, it says that the old one stays valid for 24 hours, and afterwards it shows the new one', async () => {
    const before = await readSecret();
    const page = await dashboard.signIn({ path: '/keys' });
    await page.getByRole('button', { name: 'Rotate' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('For 24 hours each webhook is signed with both').waitFor();
    await dialog.getByRole('button', { name: 'Leave it' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await readSecret()).toBe(before);

    await page.getByRole('button', { name: 'Rotate' }).click();
    await dialog.getByRole('button', { name: 'Rotate' }).click();
    await page.getByRole('region', { name: 'the signing secret' }).waitFor();
    const after = await readSecret();
    expect(after).not.toBe(before);
    await page.getByText(after).waitFor();
  });

  it('a session whose key lacks the scope admin sees neither the API keys nor the signing secret in the dashboard', async () => {
    const { key } = await dashboard.call('POST', '/keys', { name: 'writer', scopes: ['write'] });
    const page = await dashboard.signIn({ key, path: '/keys' });
    await page.getByText('This key lacks the scope admin').waitFor();
    expect(await page.getByText('Signing secret').count()).toBe(0);
  });
});
