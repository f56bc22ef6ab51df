import type { Output } from './command.js';
import { exitCodeOf, explain } from './exit-code.js';

/** The same for each id. One that fails does not keep the others from being done; the exit code is that of the first. */
export async function eachId<T>(
  ids: readonly string[],
  act: (id: string) => Promise<T>,
  say: (answer: T) => string,
): Promise<Output> {
  const [only] = ids;
  if (ids.length === 1 && only !== undefined) {
    const answer = await act(only);
    return { json: answer, text: say(answer) };
  }
  const answers: unknown[] = [];
  const lines: string[] = [];
  let exitCode = 0;
  for (const id of ids) {
    try {
      const answer = await act(id);
      answers.push(answer);
      lines.push(say(answer));
    } catch (error) {
      exitCode ||= exitCodeOf(error);
      answers.push({ id, error: explain(error) });
      lines.push(`${id}: ${explain(error)}`);
    }
  }
  return { json: answers, text: lines.join('\n'), exitCode };
}
