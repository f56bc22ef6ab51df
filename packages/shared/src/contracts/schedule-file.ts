import { z } from 'zod';
import { isSetTag } from '../schedule-set.js';
import { ChosenKey, Rule, ScheduleInput } from './schedule.js';
import { ScheduleRequest } from './template.js';

/** The name of a set is limited so that its tag, `set:<name>`, fits into 64 characters. */
export const SetName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,59}$/,
    'expected 1 to 60 letters, digits, ".", "_" or "-", beginning with a letter or digit',
  )
  .meta({ examples: ['billing'] });

/**
 * The rule `in` is refused in a file, because a delay counts from the time of the request, which a file does not have.
 */
const FileRule = Rule.refine((rule) => rule.in === undefined, {
  path: ['in'],
  error: 'is not for files, because a delay begins with the request; expected a fixed time in `at`',
});

const FileTags = ScheduleInput.shape.tags
  .unwrap()
  .refine((tags) => !tags.some(isSetTag), {
    error: 'a tag of a file cannot begin with "set:"; name the set at the top of the file',
  })
  .optional();

/** A schedule in a file: as for `PUT /v1/schedules/:id`, with its id. */
export const FileSchedule = ScheduleRequest.extend({
  id: ChosenKey,
  rule: FileRule.optional(),
  tags: FileTags,
})
  .refine(({ rule, template }) => (rule === undefined) !== (template === undefined), {
    path: ['rule'],
    error: 'expected either a rule or a template',
  })
  .meta({ id: 'FileSchedule', examples: undefined });
export type FileSchedule = z.infer<typeof FileSchedule>;

/** Schedules as a file, for `carillon plan` and `carillon apply`. */
export const ScheduleFile = z
  .strictObject({
    $schema: z.string().optional().describe('The JSON schema of this file, for editors.'),
    set: SetName.optional().describe(
      'The set that the schedules belong to. With `--prune`, schedules of the set that are in no file are cancelled.',
    ),
    schedules: z.array(FileSchedule).describe('The schedules.'),
  })
  .meta({ id: 'ScheduleFile' });
export type ScheduleFile = z.infer<typeof ScheduleFile>;
