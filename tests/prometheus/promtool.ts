import { spawnSync } from 'node:child_process';

/** Runs promtool, which is in Debian's package `prometheus`. vitest.config.ts says what is left out without it. */
export function promtool(args: readonly string[], input?: string): string {
  const { error, stdout, stderr, status } = spawnSync('promtool', args, { input, encoding: 'utf8' });
  if (error) throw error;
  return status === 0 ? `${stdout}${stderr}` : `failed: ${stdout}${stderr}`;
}
