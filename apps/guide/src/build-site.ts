import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { composeSite } from './compose-site.js';
import { readSourcePages } from './source-pages.js';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const out = fileURLToPath(new URL('../site', import.meta.url));
const assets = fileURLToPath(new URL('../../assets', import.meta.url));

// Builds the guide into dist/site. A broken link fails the build.
const { files, problems } = composeSite(readSourcePages(root), { root, assets });
if (problems.length > 0) {
  process.stderr.write(`The guide can't be built:\n${problems.map((line) => `  ${line}\n`).join('')}`);
  process.exit(1);
}
rmSync(out, { recursive: true, force: true });
for (const [path, content] of files) {
  const file = join(out, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  if (path.endsWith('.png')) continue;
  // The API serves these compressed copies and compresses nothing itself. Brotli quality 9 takes a tenth of the time of
  // quality 11, and the files are at most 3% larger.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  writeFileSync(`${file}.br`, brotliCompressSync(content, { params }));
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
}
