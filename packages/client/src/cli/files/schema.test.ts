import { readFileSync } from 'node:fs';
import { ScheduleFile, scheduleFileSchema } from '@carillon/shared';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseScheduleFile } from './parse-schedule-file.js';

const schema = scheduleFileSchema();
// Formats such as `uri` are not checked: they are hints for editors, and the contract of the API decides what is valid.
const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
const url = (path: string) => new URL(`../../../../../${path}`, import.meta.url);

/** The YAML examples of the documentation. */
const examples = [...readFileSync(url('docs/files.md'), 'utf8').matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(
  (match) => match[1] as string,
);
const env = { HOOK_TOKEN: 't', HOOK_HOST: 'example.com', SIGNING_SECRET: `whsec_${btoa('x'.repeat(32))}` };

const file = (schedule: object) => ({ schedules: [{ id: 'a', rule: { every: 'PT1H' }, ...schedule }] });
const MISTAKES: [string, unknown][] = [
  ['no schedules', { set: 'a' }],
  ['an unknown field at the top', { schedules: [], sets: 'a' }],
  ['an unknown field of a schedule', file({ cron: '0 9 * * *' })],
  ['a schedule without an id', { schedules: [{ rule: { every: 'PT1H' } }] }],
  ['a schedule without a rule', { schedules: [{ id: 'a' }] }],
  ['a rule and a template', file({ template: 'b' })],
  ['two kinds of rule', file({ rule: { every: 'PT1H', cron: '0 9 * * *' } })],
  ['a delay', file({ rule: { in: 'PT1H' } })],
  ['a tag that names a set', file({ tags: ['set:b'] })],
  ['a time-out that is not a duration', file({ timeout: '15s' })],
  ['too many attempts', file({ retry: { maxAttempts: 101 } })],
  ['an unknown policy', file({ overlap: 'wait' })],
  ['a target of an unknown type', file({ target: { type: 'mail' } })],
  ['a webhook without a URL', file({ target: { type: 'webhook' } })],
  ['a set with a space', { set: 'a b', schedules: [] }],
];

describe('The JSON schema of schedule files', () => {
  it('the published JSON schema of schedule files equals the one generated from the contract of the API', () => {
    const published = JSON.parse(readFileSync(url('packages/client/schedules.schema.json'), 'utf8'));
    expect(published, 'write it anew: carillon schema > packages/client/schedules.schema.json').toEqual(
      schema,
    );
  });

  it('the JSON schema of schedule files accepts every example of the documentation', () => {
    expect(examples.length).toBeGreaterThan(2);
    for (const example of examples) {
      expect(validate(parse(example)), JSON.stringify(validate.errors)).toBe(true);
      expect(parseScheduleFile(example, 'docs/files.md', env).problems).toEqual([]);
    }
  });

  it.each(MISTAKES)(
    'the JSON schema of schedule files and the contract of the API reject a file with %s',
    (_, mistake) => {
      expect(validate(mistake)).toBe(false);
      expect(ScheduleFile.safeParse(mistake).success).toBe(false);
    },
  );
});
