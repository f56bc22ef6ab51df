import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { HandlerDefinition } from './define.js';

/**
 * Thrown if the payload of a run does not fit the schema of its handler. The run is not retried, because it would fail
 * again.
 */
export class PayloadRefused extends Error {}

/** Returns the output of the handler's schema for a payload. Throws `PayloadRefused` if the payload does not fit. */
export function parsePayload(
  { name, schema }: HandlerDefinition,
  payload: unknown,
): unknown | Promise<unknown> {
  if (!schema) return payload;
  const accept = (result: StandardSchemaV1.Result<unknown>) => {
    if (result.issues) throw new PayloadRefused(describeIssues(name, result.issues));
    return result.value;
  };
  const result = validate(schema, payload);
  return result instanceof Promise ? result.then(accept) : accept(result);
}

type Result = StandardSchemaV1.Result<unknown>;

/**
 * Validates a payload. The payload of a schedule that has none is null. If the schema refuses null, undefined is
 * validated instead, because a schema with an optional payload accepts undefined.
 */
export function validate(schema: StandardSchemaV1, payload: unknown): Result | Promise<Result> {
  const { validate } = schema['~standard'];
  const result = validate(payload);
  if (payload !== null) return result;
  const orAbsent = (refused: Result) => {
    if (!refused.issues) return refused;
    const keepIfRefused = (absent: Result) => (absent.issues ? refused : absent);
    const absent = validate(undefined);
    return absent instanceof Promise ? absent.then(keepIfRefused) : keepIfRefused(absent);
  };
  return result instanceof Promise ? result.then(orAbsent) : orAbsent(result);
}

export function describeIssues(handler: string, issues: readonly StandardSchemaV1.Issue[]): string {
  const texts = issues.map(({ path, message }) => {
    const field = (path ?? []).map((step) => String(typeof step === 'object' ? step.key : step)).join('.');
    return field === '' ? message : `${field}: ${message}`;
  });
  return `does not fit the schema of the handler ${handler}: ${texts.join('; ')}`;
}
