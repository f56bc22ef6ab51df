import type { Problem as FieldProblem } from '@carillon/shared';
import type { z } from 'zod';

/** What the issues of zod have in common, and what some of them have besides. */
interface Issue extends Pick<z.core.$ZodIssue, 'message' | 'path'> {
  code?: string | undefined;
  keys?: string[];
  options?: unknown;
  expected?: unknown;
}

/** What is wrong with an input, by field, in words that say what would be right. */
export function fieldProblems(issues: readonly Issue[], root = 'body'): FieldProblem[] {
  return issues.flatMap((issue) => problemsOf(issue, root));
}

function problemsOf(issue: Issue, root: string): FieldProblem[] {
  const path = issue.path.join('.');
  const field = path || root;
  if (issue.code === 'unrecognized_keys') {
    return (issue.keys ?? []).map((key) => ({
      field: path ? `${path}.${key}` : key,
      message: 'is not a known field',
    }));
  }
  if (issue.code === 'invalid_union') {
    const { options } = issue;
    return [
      { field, message: Array.isArray(options) ? `expected one of ${options.join(', ')}` : issue.message },
    ];
  }
  const missing = / received undefined$/.test(issue.message);
  if (issue.code === 'invalid_type' && missing) {
    return [{ field, message: `is missing; expected ${String(issue.expected)}` }];
  }
  return [{ field, message: issue.message.replace(/^Invalid (input|option|string): /, '') }];
}
