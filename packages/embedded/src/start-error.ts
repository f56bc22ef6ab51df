/**
 * A start that cannot go on for a reason that the person at the terminal can act on.
 * Whoever catches it prints the message as it stands: one line, no stack.
 */
export class StartError extends Error {
  override name = 'StartError';
}
