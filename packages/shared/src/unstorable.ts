/**
 * Maximum nesting depth of a value. It is deeper than any payload written by hand, and safe for recursive functions.
 */
const MAX_NESTING_DEPTH = 64;

/**
 * Returns why a JSON value can't be stored, or null. Postgres accepts neither NUL nor half of a surrogate pair in
 * texts, and a value that is nested too deeply overflows the stack of recursive functions.
 */
export function unstorable(value: unknown, path = '', depth = 0): { field: string; message: string } | null {
  if (typeof value === 'string') return textProblem(value, path);
  if (typeof value !== 'object' || value === null) return null;
  if (depth >= MAX_NESTING_DEPTH)
    return { field: path, message: `is nested more than ${MAX_NESTING_DEPTH} levels deep` };
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
  if (text.includes('\0')) return { field, message: 'holds a NUL character, which cannot be stored' };
  if (HALF_OF_A_PAIR.test(text))
    return { field, message: 'holds half of a surrogate pair; expected well-formed Unicode' };
  return null;
}
