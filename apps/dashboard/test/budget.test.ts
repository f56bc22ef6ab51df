import { existsSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const dist = (path: string) => fileURLToPath(new URL(`../dist/${path}`, import.meta.url));
const MAX_SCRIPT_BYTES = 150_000;
const MAX_ALL_BYTES = 260_000;

interface Chunk {
  file: string;
  css?: string[];
  imports?: string[];
  dynamicImports?: string[];
}

/** The chunks that the overview loads besides those of the entry `index.html`: the page itself and its chart. */
const FIRST_PAGE = ['src/pages/overview.tsx', 'src/overview/stats-chart.tsx'];

function filesOfFirstLoad(manifest: Record<string, Chunk>): string[] {
  const files = new Set<string>();
  const visit = (name: string) => {
    const chunk = manifest[name];
    if (!chunk) throw new Error(`the build has no chunk ${name}`);
    if (files.has(chunk.file)) return;
    files.add(chunk.file);
    for (const css of chunk.css ?? []) files.add(css);
    for (const imported of chunk.imports ?? []) visit(imported);
  };
  for (const name of ['index.html', ...FIRST_PAGE]) visit(name);
  return [...files];
}

const sizeOf = (file: string) => statSync(dist(`${file}.br`)).size;
const sum = (files: readonly string[]) => files.reduce((bytes, file) => bytes + sizeOf(file), 0);

describe('The build of the dashboard', () => {
  it('the first load of the dashboard takes at most 150 kB of scripts and 260 kB in all, compressed', () => {
    expect(
      existsSync(dist('.vite/manifest.json')),
      'the dashboard must be built first: npx turbo run build',
    ).toBe(true);
    const files = filesOfFirstLoad(JSON.parse(readFileSync(dist('.vite/manifest.json'), 'utf8')));
    expect(files.length).toBeGreaterThan(3);
    expect(sum(files.filter((file) => file.endsWith('.js')))).toBeLessThan(MAX_SCRIPT_BYTES);
    expect(sum(files) + statSync(dist('index.html')).size).toBeLessThan(MAX_ALL_BYTES);
  });

  it('the HTML page of the dashboard has no inline script or style and refers to no other host', () => {
    const page = readFileSync(dist('index.html'), 'utf8');
    expect(page).not.toMatch(/<style|style=|<script(?![^>]*\ssrc=)|https?:\/\//);
  });
});
