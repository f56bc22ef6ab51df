import { describe, expect, it } from 'vitest';
import { parseScheduleFile } from './parse-schedule-file.js';

const parse = (text: string, env = {}) => parseScheduleFile(text, 'a.yaml', env);

describe('parseScheduleFile', () => {
  it('a schedule file in YAML and the same file in JSON give the same schedules, with their line numbers', () => {
    const yaml = `set: billing
schedules:
  - id: invoices
    rule: { cron: 0 9 * * 1-5 }
    target: { type: queue, queue: invoices }
  # a comment
  - id: reminders
    template: weekdays-nine
`;
    const fromYaml = parse(yaml);
    expect(fromYaml).toMatchObject({ set: 'billing', problems: [] });
    expect(fromYaml.entries.map(({ line, schedule }) => [line, schedule.id])).toEqual([
      [3, 'invoices'],
      [7, 'reminders'],
    ]);
    const json = JSON.stringify({
      set: 'billing',
      schedules: fromYaml.entries.map(({ schedule }) => schedule),
    });
    expect(parse(json).entries.map(({ schedule }) => schedule)).toEqual(
      fromYaml.entries.map(({ schedule }) => schedule),
    );
  });

  it.each([
    [
      'schedules:\n  - id: a\n    rule: { cron: 0 9 * * *, at: x }',
      'a.yaml:3: schedules.0.rule: expected exactly one of',
    ],
    ['schedules:\n  - id: a\n    rule: { in: PT1H }', 'a.yaml:3: schedules.0.rule.in: is not for files'],
    ['schedules:\n  - id: a\n    rul: { every: PT1H }', 'a.yaml:3: schedules.0.rul: is not a known field'],
    ['schedules:\n  - id: a', 'a.yaml:2: schedules.0.rule: expected either a rule or a template'],
    [
      'schedules:\n  - id: a\n    rule: { every: PT1H }\n    timeout: 15s',
      'a.yaml:4: schedules.0.timeout: expected an ISO',
    ],
    ['schedules:\n  - rule: { every: PT1H }', 'a.yaml:2: schedules.0.id: '],
    [
      'schedules:\n  - id: a\n    rule: { every: PT1H }\n    tags: ["set:b"]',
      'a.yaml:4: schedules.0.tags: a tag of a file',
    ],
    ['set: "no good"\nschedules: []', 'a.yaml:1: set: expected 1 to 60 letters'],
    ['schedules: [', 'a.yaml:1: '],
    ['', 'a.yaml:1: schedules: '],
  ])('a mistake in a schedule file is reported with its line: %j', (text, message) => {
    const { problems, entries } = parse(text);
    expect(problems[0]).toContain(message);
    expect(entries).toEqual([]);
  });

  it('references to environment variables in a schedule file are replaced in the target and the secret, but not in the payload', () => {
    const text = `schedules:
  - id: a
    rule: { every: PT1H }
    secret: \${SECRET}
    payload: { text: "\${NOT_A_REFERENCE}" }
    target:
      type: webhook
      url: https://example.com/$\${LITERAL}
      headers: { authorization: "Bearer \${TOKEN}" }
`;
    const secret = `whsec_${btoa('x'.repeat(32))}`;
    const { entries } = parse(text, { TOKEN: 't1', SECRET: secret });
    expect(entries[0]?.schedule).toMatchObject({
      secret,
      payload: { text: `\${NOT_A_REFERENCE}` },
      target: { url: `https://example.com/\${LITERAL}`, headers: { authorization: 'Bearer t1' } },
    });
    expect(parse(text, { SECRET: secret }).problems).toEqual([
      'a.yaml:2: schedules.0: the environment variable TOKEN is not set',
    ]);
  });
});
