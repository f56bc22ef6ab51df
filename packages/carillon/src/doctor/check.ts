/** The result of one check of `carillon doctor`. */
export interface Check {
  name: string;
  status: 'ok' | 'warning' | 'failed' | 'skipped';
  /** The result in words. */
  message: string;
  /** The advice to the operator; null if there is nothing to do. */
  advice: string | null;
}

export const ok = (name: string, message: string): Check => ({ name, status: 'ok', message, advice: null });
export const warning = (name: string, message: string, advice: string): Check => ({
  name,
  status: 'warning',
  message,
  advice,
});
export const failed = (name: string, message: string, advice: string): Check => ({
  name,
  status: 'failed',
  message,
  advice,
});
export const skipped = (name: string, message: string): Check => ({
  name,
  status: 'skipped',
  message,
  advice: null,
});

/** Runs a check. If it throws, the check has failed with that error. */
export async function runCheck(name: string, advice: string, work: () => Promise<Check>): Promise<Check> {
  try {
    return await work();
  } catch (error) {
    return failed(name, error instanceof Error ? error.message : String(error), advice);
  }
}
