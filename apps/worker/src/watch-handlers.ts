import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { dirname, extname, join } from 'node:path';

/** The endings of files that hold handlers, or data that a handler may import. */
const SOURCES = new Set(['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.json']);
/**
 * Changes within this time are reported as one. An editor writes a file in several steps, and a build writes many
 * files.
 */
const QUIET_TIME_MS = 100;

/**
 * Calls back once when a source file in the folder of the handlers changes. Folders are watched one by one, because a
 * recursive watch would include `node_modules`.
 */
export function watchHandlers(module: string, onChange: (file: string) => void): { close(): void } {
  let timer: NodeJS.Timeout | null = null;
  const watchers: FSWatcher[] = foldersBelow(dirname(module)).map((folder) =>
    watch(folder, (_event, file) => {
      if (timer || file === null || !SOURCES.has(extname(file))) return;
      timer = setTimeout(() => onChange(join(folder, file)), QUIET_TIME_MS);
    }),
  );
  for (const watcher of watchers) watcher.on('error', () => {});
  return {
    close() {
      if (timer) clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
    },
  };
}

function foldersBelow(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  const below = entries.filter(
    (entry) => entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.'),
  );
  return [folder, ...below.flatMap((entry) => foldersBelow(join(folder, entry.name)))];
}
