import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Names under which distributions install Chromium. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The path of a Chromium for the browser tests: CHROMIUM_PATH, or the first on PATH. Null if there is none. */
export function findChromium() {
  if (process.env.CHROMIUM_PATH) return process.env.CHROMIUM_PATH;
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    for (const name of NAMES) if (existsSync(join(folder, name))) return join(folder, name);
  }
  return null;
}
