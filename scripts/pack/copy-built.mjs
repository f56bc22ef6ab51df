import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Copies built files. Source maps stay behind, because they refer to sources that are not published. */
export function copyBuilt(from, to, { only = () => true } = {}) {
  cpSync(from, to, {
    recursive: true,
    filter: (source) => !source.endsWith('.map') && (statSync(source).isDirectory() || only(source)),
  });
  for (const file of filesBelow(to).filter(isCode)) {
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n'));
  }
}

export const isCode = (file) => /\.(js|mjs|cjs|d\.ts)$/.test(file);
export const isTypes = (file) => file.endsWith('.d.ts') && !basename(file).startsWith('.');

export function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
