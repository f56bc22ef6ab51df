import { spawnSync } from 'node:child_process';

/**
 * Runs promtool, which is part of Debian's package `prometheus`. Without it, vitest.config.ts leaves these tests out
 * and says so.
 */
export function promtool(args: readonly string[], input?: string): string {
  const { error, stdout, stderr, status } = spawnSync('promtool', args, { input, encoding: 'utf8' });
  if (error) throw error;
  return status === 0 ? `${stdout}${stderr}` : `failed: ${stdout}${stderr}`;
}
