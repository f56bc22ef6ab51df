import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Imports the module that `CARILLON_HANDLERS` names, which defines handlers. */
export async function loadHandlers(module: string | undefined): Promise<void> {
  if (module === undefined || module === '') return;
  await import(urlOf(module).href);
}

/** The URL of the module. A relative path starts at the working directory. */
export function urlOf(module: string): URL {
  return URL.canParse(module) ? new URL(module) : pathToFileURL(resolve(module));
}
