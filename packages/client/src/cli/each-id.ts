import type { Output } from './command.js';
import { exitCodeOf, explainError } from './exit-code.js';

/** Applies an action to each id. A failure does not stop the others. The first failure decides the exit code. */
export async function eachId<T>(
  ids: readonly string[],
  act: (id: string) => Promise<T>,
  describe: (answer: T) => string,
): Promise<Output> {
  const [only] = ids;
  if (ids.length === 1 && only !== undefined) {
    const answer = await act(only);
    return { json: answer, text: describe(answer) };
  }
  const answers: unknown[] = [];
  const lines: string[] = [];
  let exitCode = 0;
  for (const id of ids) {
    try {
      const answer = await act(id);
      answers.push(answer);
      lines.push(describe(answer));
    } catch (error) {
      exitCode ||= exitCodeOf(error);
      answers.push({ id, error: explainError(error) });
      lines.push(`${id}: ${explainError(error)}`);
    }
  }
  return { json: answers, text: lines.join('\n'), exitCode };
}
