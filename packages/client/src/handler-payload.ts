import { CarillonError } from './transport/carillon-error.js';
import type { TypedHandler } from './types/handler.js';

/**
 * Makes the request body of a schedule: a typed `handler` becomes the target. The payload is checked against the schema
 * of the handler but sent unchanged, because the worker parses it again for the run.
 */
export async function toRequest(schedule: object): Promise<object> {
  if (!('handler' in schedule)) return schedule;
  const { handler, payload, ...rest } = schedule as { handler: TypedHandler; payload?: unknown };
  const result = await handler.schema?.['~standard'].validate(payload);
  if (result?.issues) {
    const texts = result.issues.map(({ path = [], message }) => {
      const field = path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.');
      return field === '' ? message : `${field}: ${message}`;
    });
    const message = `the payload does not fit the schema of the handler ${handler.name}: ${texts.join('; ')}`;
    throw new CarillonError(message, { kind: 'invalid' });
  }
  return { ...rest, payload, target: { type: 'handler', name: handler.name } };
}
