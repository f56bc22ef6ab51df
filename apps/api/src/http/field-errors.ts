import type { FieldError, Problem as FieldProblem } from '@carillon/shared';
import type { z } from 'zod';

type Coded = z.infer<typeof FieldError>;

/** The fields of a zod issue that are read here. */
interface Issue extends Pick<z.core.$ZodIssue, 'message' | 'path'> {
  code?: string | undefined;
  keys?: string[];
  options?: unknown;
  expected?: unknown;
}

/**
 * Adds a code to problems that the domain code reports. Their field is known and present, so the code is
 * `invalid_value`.
 */
export const codedErrors = (problems: readonly (FieldProblem | Coded)[]): Coded[] =>
  problems.map((problem) => ({ code: 'invalid_value', ...problem }));

/**
 * Turns the issues of zod into field errors. `root` names the whole input, for an issue that is not about one field.
 */
export function fieldErrors(issues: readonly Issue[], root = 'body'): Coded[] {
  return issues.flatMap((issue) => errorsOf(issue, root));
}

function errorsOf(issue: Issue, root: string): Coded[] {
  const path = issue.path.join('.');
  const field = path || root;
  if (issue.code === 'unrecognized_keys') {
    return (issue.keys ?? []).map((key) => ({
      field: path ? `${path}.${key}` : key,
      code: 'unknown_field',
      message: 'is not a known field',
    }));
  }
  if (issue.code === 'invalid_union') {
    const { options } = issue;
    const message = Array.isArray(options) ? `expected one of ${options.join(', ')}` : issue.message;
    return [{ field, code: 'invalid_value', message }];
  }
  const isMissing = issue.code === 'invalid_type' && / received undefined$/.test(issue.message);
  if (isMissing) {
    return [{ field, code: 'missing', message: `is missing; expected ${String(issue.expected)}` }];
  }
  const message = issue.message.replace(/^Invalid (input|option|string): /, '');
  return [{ field, code: 'invalid_value', message }];
}
