/** Fields that are compared part by part. Any other field is compared as a whole. */
const COMPARED_BY_PART = new Set(['dst', 'misfire', 'retry', 'target', 'target.headers', 'dependsOn', 'slo']);
/**
 * Lists the fields in which two definitions differ, such as `retry.maxAttempts`. Both definitions have every default
 * filled in.
 */
export function diffDefinitions(before, after) {
    return diffFields(before, after, '');
}
function diffFields(before, after, prefix) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) => {
        const field = `${prefix}${name}`;
        const [left, right] = [before[name] ?? null, after[name] ?? null];
        if (isSame(left, right))
            return [];
        const isComparedByPart = COMPARED_BY_PART.has(field) && isFields(left) && isFields(right);
        // A webhook and a queue have no field in common, so a change of the type is shown as one change.
        if (isComparedByPart && left.type === right.type)
            return diffFields(left, right, `${field}.`);
        return [{ field, before: left, after: right }];
    });
}
const isFields = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
/** True if two JSON values are equal, whatever the order of their keys. */
function isSame(left, right) {
    if (left === right)
        return true;
    if (Array.isArray(left) && Array.isArray(right))
        return left.length === right.length && left.every((item, i) => isSame(item, right[i]));
    if (!isFields(left) || !isFields(right))
        return false;
    const names = new Set([...Object.keys(left), ...Object.keys(right)]);
    return [...names].every((name) => isSame(left[name], right[name]));
}
//# sourceMappingURL=diff-definitions.js.map