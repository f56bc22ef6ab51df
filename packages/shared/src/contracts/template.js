import { z } from 'zod';
import { Rule, ScheduleInput } from './schedule.js';
export const TemplateKey = z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'expected 1 to 63 lower-case letters, digits or "-"')
    .meta({ examples: ['weekdays-nine'] });
export const TemplateInput = z
    .strictObject({
    id: TemplateKey,
    rule: Rule,
    timezone: z.string().max(64).nullable().optional(),
    description: z.string().max(1_000).optional(),
})
    .meta({ id: 'TemplateRequest', examples: [{ id: 'month-end', rule: { cron: '0 18 L * *' } }] });
export const TemplatePatch = TemplateInput.omit({ id: true }).partial().meta({ id: 'TemplatePatch' });
export const TemplateAnswer = z
    .object({
    id: z.string(),
    description: z.string(),
    rule: Rule,
    timezone: z.string().nullable(),
    text: z.string().meta({ description: 'The rule in words.' }),
    builtIn: z.boolean(),
})
    .meta({ id: 'Template' });
/** A schedule is created with a rule, or with the id of a template. */
export const ScheduleRequest = ScheduleInput.extend({
    rule: Rule.optional(),
    template: TemplateKey.optional().meta({ description: 'The id of a template, instead of `rule`.' }),
}).meta({ ...ScheduleInput.meta(), id: 'ScheduleRequest' });
//# sourceMappingURL=template.js.map