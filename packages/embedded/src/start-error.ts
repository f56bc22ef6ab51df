/**
 * Thrown if a start fails for a reason that the user can remove. The message is printed as one line, without a stack
 * trace.
 */
export class StartError extends Error {
  override name = 'StartError';
}

/** True if a message says that there is no room left on the disk, in the words of the system or of Postgres. */
export const isDiskFull = (text: string): boolean =>
  /No space left on device|Disk quota exceeded|ENOSPC|EDQUOT/i.test(text);

export const diskFull = (home: string) =>
  new StartError(
    `The disk that holds CARILLON_HOME (${home}) is full: free some space (a new installation takes about 150 MB), or set CARILLON_HOME to a folder on another disk`,
  );
