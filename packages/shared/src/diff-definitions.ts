export interface FieldChange {
  field: string;
  before: unknown;
  after: unknown;
}

/** Fields that are compared part by part. Any other field is compared as a whole. */
const COMPARED_BY_PART = new Set(['dst', 'misfire', 'retry', 'target', 'target.headers', 'dependsOn', 'slo']);

/**
 * Lists the fields in which two definitions differ, such as `retry.maxAttempts`. Both definitions have every default
 * filled in.
 */
export function diffDefinitions(before: object, after: object): FieldChange[] {
  return diffFields(before as Fields, after as Fields, '');
}

type Fields = Readonly<Record<string, unknown>>;

function diffFields(before: Fields, after: Fields, prefix: string): FieldChange[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => {
    const field = `${prefix}${name}`;
    const [left, right] = [before[name] ?? null, after[name] ?? null];
    if (isSame(left, right)) return [];
    const isComparedByPart = COMPARED_BY_PART.has(field) && isFields(left) && isFields(right);
    // A webhook and a queue have no field in common, so a change of the type is shown as one change.
    if (isComparedByPart && left.type === right.type) return diffFields(left, right, `${field}.`);
    return [{ field, before: left, after: right }];
  });
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** True if two JSON values are equal, whatever the order of their keys. */
function isSame(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((item, i) => isSame(item, right[i]));
  if (!isFields(left) || !isFields(right)) return false;
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...names].every((name) => isSame(left[name], right[name]));
}
