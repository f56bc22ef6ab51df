import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { linkLibraries } from './link-libraries.js';

it('the libraries of an embedded Postgres are linked if its install script did not run, and linking twice is harmless', () => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-link-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'native/lib'), { recursive: true });
  writeFileSync(join(folder, 'native/lib/libx.so.1.2'), 'library');
  const links = [{ source: 'native/lib/libx.so.1.2', target: 'native/lib/libx.so.1' }];
  writeFileSync(join(folder, 'native/pg-symlinks.json'), JSON.stringify(links));
  linkLibraries(folder);
  linkLibraries(folder);
  expect(readFileSync(join(folder, 'native/lib/libx.so.1'), 'utf8')).toBe('library');
});

it('linking the libraries of an embedded Postgres does not fail if the file pg-symlinks.json is missing', () => {
  expect(() => linkLibraries(join(tmpdir(), 'carillon-no-such-folder'))).not.toThrow();
});
