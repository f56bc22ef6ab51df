import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { ADMIN_KEY, useDatabase, useProcesses } from '@carillon/testkit';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const here = fileURLToPath(new URL('.', import.meta.url));
const database = useDatabase();
const processes = useProcesses(database);
let url = '';
let folder = '';
let text = '';

/**
 * Creates a folder for the generated client below the folder of this test, so that Node finds the packages that the
 * client imports.
 */
beforeAll(async () => {
  folder = await mkdtemp(join(here, '.generated-'));
  text = await readFile(join(root, 'apps/api/openapi.json'), 'utf8');
  ({ url } = await processes.api());
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const COMPILER_OPTIONS = {
  target: 'es2023',
  module: 'nodenext',
  strict: true,
  exactOptionalPropertyTypes: false,
  types: [],
  lib: ['es2023', 'dom'],
  outDir: 'out',
};

describe('OpenAPI document', () => {
  it('the OpenAPI document is valid by the rules of OpenAPI 3.1', async () => {
    const config = await createConfig({ extends: ['spec'] });
    const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config });
    expect(problems.map(({ message, location }) => `${location[0]?.pointer}: ${message}`)).toEqual([]);
  });

  it('a TypeScript client that is generated from the OpenAPI document compiles, and works against the API', async () => {
    const types = await openapiTypescript(text, { defaultNonNullable: false });
    await writeFile(join(folder, 'generated.ts'), astToString(types));
    await cp(join(here, 'uses-client.ts'), join(folder, 'uses-client.ts'));
    await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
    const config = { compilerOptions: COMPILER_OPTIONS, include: ['*.ts'] };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const tsc = join(root, 'node_modules/.bin/tsc');
    const compiled = await promisify(execFile)(tsc, ['-p', folder]).catch((error) => error);
    expect(compiled.stdout).toBe('');
    const { useSchedule } = await import(pathToFileURL(join(folder, 'out/uses-client.js')).href);
    expect(await useSchedule(url, ADMIN_KEY)).toEqual({
      created: 1,
      replaced: 2,
      code: 'stale_version',
      paused: 'paused',
      changed: 1,
      listed: 'generated',
      purged: true,
    });
  });
});
