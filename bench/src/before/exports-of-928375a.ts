/**
 * Lines that are appended to the benchmark code of commit 928375a before it is built, because that code exports only
 * whole races. Later commits export these names themselves. Delete this file when no comparison uses 928375a any more.
 */
export const EXPORTS_TO_ADD = [
  { file: 'races/recurring-herd.ts', name: 'recurringCarillon', lines: 'export { recurringCarillon };' },
  { file: 'races/webhooks.ts', name: 'toWebhooks', lines: 'export { toWebhooks };' },
  {
    file: 'races/claims.ts',
    name: 'claimInWaves',
    lines: `export const claimInWaves = (arena, options) =>
  onSite(arena, async ({ pool, env }) => {
    const claimers = openDatabase({
      url: env.DATABASE_URL,
      max: CLAIMERS,
      applicationName: 'carillon-bench-claimers',
      byIndex: true,
      onError: (error) => console.error(error.message),
    });
    try {
      return await race(pool, claimers, options);
    } finally {
      await claimers.end();
    }
  });`,
  },
] as const;
