import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ADMIN_KEY } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { useCommand } from './use-command.js';

const { place, json } = useCommand();
const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The fenced code blocks of a document in one language. */
async function blocks(document: string, language: string): Promise<string[]> {
  const text = await readFile(join(root, document), 'utf8');
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
    .filter(([, name]) => name === language)
    .map(([, , block]) => block as string);
}

/** Runs the commands of a document one after the other, in an empty folder. Any exit code but 0 fails. */
async function runAll(scripts: readonly string[]): Promise<string> {
  const env = {
    PATH: [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter),
    CARILLON_URL: place.url,
    CARILLON_KEY: ADMIN_KEY,
  };
  const { stdout } = await promisify(execFile)('sh', ['-euc', scripts.join('\n')], {
    cwd: place.folder,
    env,
  });
  return stdout;
}

describe('Documented commands', () => {
  it('the commands of docs/files.md work in the order of the page', { timeout: 60_000 }, async () => {
    const [billing = ''] = await blocks('docs/files.md', 'yaml');
    await writeFile(join(place.folder, 'billing.yaml'), billing);
    const said = await runAll(await blocks('docs/files.md', 'sh'));
    expect(said).toMatch(/\+ invoice-reminder {2}create .*billing\.yaml:4/);
    expect(said).toContain('✓ month-end-report created, at version 1');
    expect(said.match(/Nothing to change\./g)).toHaveLength(3);
    expect(await json('schedules show invoice-reminder')).toMatchObject({
      tags: ['invoices', 'set:billing'],
    });
  });

  it('the commands of docs/importing.md work in the order of the page, and print the remarks that the page shows', {
    timeout: 60_000,
  }, async () => {
    const said = await runAll(await blocks('docs/importing.md', 'sh'));
    const [shown = ''] = await blocks('docs/importing.md', '');
    expect(said).toContain(shown.slice(shown.indexOf('Remarks')));
    expect(await json('schedules show k8s-ops-backup')).toMatchObject({ overlap: 'cancel' });
    expect(await json('schedules ls --tag node-cron')).toMatchObject({
      items: [{ id: 'node-cron-poll' }, { id: 'node-cron-digest' }],
    });
  });

  it('the commands in the README of the client work one after the other', { timeout: 60_000 }, async () => {
    const prepared = `
      npx() { "$@"; }
      crontab() { echo '0 9 * * 1-5 report'; }
      carillon schedules create --id invoice-42 --in 1h --target handler:log`;
    const said = await runAll([prepared, ...(await blocks('packages/client/README.md', 'sh'))]);
    expect(said).toContain('invoice-42 is active');
    expect(await json('schedules ls --tag crontab')).toMatchObject({
      items: [{ rule: { cron: '0 9 * * 1-5' }, timezone: 'Europe/Berlin' }],
    });
  });
});
