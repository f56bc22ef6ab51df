import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { SchedulePatch } from './schedule.js';

/**
 * A handler as the client needs it: its name, and the Standard Schema of its payload (Zod, Valibot and others).
 * `defineHandler` returns such an object.
 */
export interface TypedHandler<Schema extends StandardSchemaV1 = StandardSchemaV1> {
  readonly name: string;
  readonly schema?: Schema | undefined;
}

/** A handler as the target, and its payload. The payload is required unless the schema accepts undefined. */
export type HandlerPayload<Schema extends StandardSchemaV1> = {
  handler: TypedHandler<Schema>;
  target?: undefined;
} & (undefined extends StandardSchemaV1.InferInput<Schema>
  ? { payload?: StandardSchemaV1.InferInput<Schema> }
  : { payload: StandardSchemaV1.InferInput<Schema> });

/** An edit that gives a schedule another payload for its handler, or another handler. */
export type HandlerPatch<Schema extends StandardSchemaV1> = Omit<SchedulePatch, 'target' | 'payload'> &
  HandlerPayload<Schema>;
