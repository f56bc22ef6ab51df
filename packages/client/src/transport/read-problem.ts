import { CarillonError, type Problem } from './carillon-error.js';
import { readRetryAfter } from './retry-delay.js';

/** Turns an error response into a CarillonError. A proxy in front of the API may answer without problem+json. */
export async function readProblem(response: Response): Promise<CarillonError> {
  const { status } = response;
  const problem = problemIn(await response.text());
  const message = problem?.detail ?? `the API answered ${status} ${response.statusText}`.trimEnd();
  const retryAfterMs = readRetryAfter(response.headers.get('retry-after'), Date.now());
  return new CarillonError(message, { kind: 'refused', status, problem, retryAfterMs });
}

function problemIn(text: string): Problem | null {
  try {
    const value = JSON.parse(text);
    return typeof value?.detail === 'string' && typeof value.title === 'string' ? value : null;
  } catch {
    return null;
  }
}
