/** Deeper than any payload that a person wrote; whatever walks a value by recursion is safe with this. */
const DEEPEST = 64;

/**
 * What makes a JSON value impossible to keep, or null. Postgres has no NUL in its texts and takes no half of a surrogate
 * pair; and a value that is nested without end breaks whoever walks it.
 */
export function unstorable(value: unknown, path = '', depth = 0): { field: string; message: string } | null {
  if (typeof value === 'string') return textProblem(value, path);
  if (typeof value !== 'object' || value === null) return null;
  if (depth >= DEEPEST) return { field: path, message: `is nested more than ${DEEPEST} levels deep` };
  for (const [key, child] of Object.entries(value)) {
    const childPath = path === '' ? key : `${path}.${key}`;
    const problem =
      (Array.isArray(value) ? null : textProblem(key, path || 'body')) ??
      unstorable(child, childPath, depth + 1);
    if (problem) return problem;
  }
  return null;
}

const HALF_OF_A_PAIR = /\p{Surrogate}/u;

function textProblem(text: string, field: string): { field: string; message: string } | null {
  if (text.includes('\0')) return { field, message: 'holds a NUL character, which cannot be kept' };
  if (HALF_OF_A_PAIR.test(text))
    return { field, message: 'holds half of a surrogate pair; expected well-formed Unicode' };
  return null;
}
