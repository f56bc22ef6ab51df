import { z } from 'zod';
import { ScheduleFile } from './contracts/schedule-file.js';

/** ISO 8601 without years and months, which have no fixed length. */
const DURATION = '^P(?!$)(\\d+W)?(\\d+D)?(T(?!$)(\\d+H)?(\\d+M)?(\\d+(\\.\\d+)?S)?)?$';

/**
 * The JSON schema of a schedule file, for editors and for checks before a commit. Generated from the contract of the
 * API.
 */
export function scheduleFileSchema(): object {
  const schema = z.toJSONSchema(ScheduleFile, {
    io: 'input',
    override: ({ zodSchema, jsonSchema }) => {
      // JSON schema cannot express the contract's refinements, which are functions, so they are repeated here.
      const { id } = z.globalRegistry.get(zodSchema) ?? {};
      if (jsonSchema.format === 'duration') jsonSchema.pattern = DURATION;
      if (id === 'FileSchedule') {
        jsonSchema.oneOf = [{ required: ['rule'] }, { required: ['template'] }];
        const { rule, tags } = jsonSchema.properties as Record<string, Record<string, unknown>>;
        Object.assign(rule ?? {}, { minProperties: 1, maxProperties: 1, not: { required: ['in'] } });
        Object.assign((tags?.items ?? {}) as object, { not: { pattern: '^set:' } });
      }
    },
  });
  return { ...schema, title: 'Carillon schedules' };
}
