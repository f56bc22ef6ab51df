import { cpSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

/**
 * Copies built files and their source maps. The sources themselves are not published, but the source maps contain their
 * text.
 */
export function copyBuilt(from, to, { only = () => true } = {}) {
  cpSync(from, to, { recursive: true, filter: (source) => statSync(source).isDirectory() || only(source) });
}

export const isCode = (file) => /\.(js|mjs|cjs|d\.ts)$/.test(file);
export const isTypes = (file) => file.endsWith('.d.ts') && !basename(file).startsWith('.');

export function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
