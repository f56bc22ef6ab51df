import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { collectDefinitions, type Definitions } from './define.js';

const TYPESCRIPT = new Set(['.ts', '.mts', '.cts']);

/** Thrown if the module of handlers cannot be loaded, for a reason outside of its code. The message says what to do. */
export class UnusableModule extends Error {}

/**
 * Imports the module that `CARILLON_HANDLERS` names, if any, and returns the handlers and schedules that it defines.
 */
export function loadHandlers(module: string | undefined): Promise<Definitions> {
  return collectDefinitions(async () => {
    if (module === undefined || module === '') return;
    const url = urlOf(module);
    if (url.protocol === 'file:') await prepareFile(fileURLToPath(url));
    await import(url.href);
  });
}

/** The URL of the module. A relative path starts at the working directory. */
export function urlOf(module: string): URL {
  return URL.canParse(module) ? new URL(module) : pathToFileURL(resolve(module));
}

async function prepareFile(file: string): Promise<void> {
  if (!existsSync(file))
    throw new UnusableModule(
      `there is no file ${file}: name the module that defines your handlers by --handlers or CARILLON_HANDLERS`,
    );
  if (TYPESCRIPT.has(extname(file))) await loadTypeScript(file);
}

/**
 * Makes this process import TypeScript: by `tsx` if the project has it installed, otherwise by Node, which strips types
 * itself from 22.18 on. Node 20 needs `tsx`.
 */
async function loadTypeScript(file: string): Promise<void> {
  const tsx = findTsx(file);
  if (tsx !== null) {
    await import(pathToFileURL(tsx).href);
    return;
  }
  const canStripTypes = Boolean((process.features as { typescript?: unknown }).typescript);
  if (!canStripTypes)
    throw new UnusableModule(
      `Node ${process.versions.node} cannot load ${file}, because it is TypeScript: run "npm install --save-dev tsx" in your project, use Node 22.18 or later, or name the compiled .js file`,
    );
}

/** The loader of the package `tsx`, if the project of this file has it installed. */
function findTsx(file: string): string | null {
  try {
    return createRequire(file).resolve('tsx');
  } catch {
    return null;
  }
}
