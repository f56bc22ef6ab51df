import { spawnSync } from 'node:child_process';

/**
 * Runs promtool, which is part of the Debian package `prometheus`. If it is not installed, vitest.config.ts leaves out
 * these tests and says so.
 */
export function promtool(args: readonly string[], input?: string): string {
  const { error, stdout, stderr, status } = spawnSync('promtool', args, { input, encoding: 'utf8' });
  if (error) throw error;
  return status === 0 ? `${stdout}${stderr}` : `failed: ${stdout}${stderr}`;
}
