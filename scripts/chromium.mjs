import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * The names under which distributions install Chromium. The headless shell comes first: opening a page takes it 0.2 s
 * of CPU, and the whole browser 1.5 s.
 */
const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
];

/**
 * Returns the path of a Chromium for the browser tests: CHROMIUM_PATH, or the first of `NAMES` on PATH. Null if
 * there is none.
 */
export function findChromium() {
  if (process.env.CHROMIUM_PATH) return process.env.CHROMIUM_PATH;
  const folders = (process.env.PATH ?? '').split(delimiter);
  for (const name of NAMES) {
    for (const folder of folders) if (existsSync(join(folder, name))) return join(folder, name);
  }
  return null;
}
