import { describe, expect, it } from 'vitest';
import { describeError } from './describe-error.js';

describe('describeError', () => {
  it('a Postgres error is logged with its code, table and constraint, and without the detail that quotes the row', () => {
    const error = Object.assign(new Error('new row violates check constraint "runs_check"'), {
      code: '23514',
      table: 'runs',
      constraint: 'runs_check',
      detail: 'Failing row contains (1, {"text": "confidential"}).',
      where: 'COPY runs, line 1: "confidential"',
      parameters: ['confidential'],
    });
    const described = describeError(error);
    expect(described).toMatchObject({
      type: 'Error',
      message: 'new row violates check constraint "runs_check"',
      code: '23514',
      table: 'runs',
      constraint: 'runs_check',
      stack: expect.stringContaining('describe-error.test'),
    });
    expect(JSON.stringify(described)).not.toContain('confidential');
  });

  it('the causes of an error are logged with the same few fields as the error, even if the chain of causes is circular', () => {
    const cause = Object.assign(new TypeError('inner'), { payload: 'confidential' });
    const error = new Error('outer', { cause });
    expect(describeError(error)).toMatchObject({ message: 'outer', cause: { type: 'TypeError' } });
    Object.assign(cause, { cause: error });
    const all = describeError(new AggregateError([error], 'both'));
    expect(all).toMatchObject({ errors: [{ message: 'outer', cause: { message: 'inner' } }] });
    expect(JSON.stringify(all)).not.toContain('confidential');
  });

  it('a thrown value that is no error is logged as text, without the fields of an object', () => {
    expect(describeError('out of paper')).toBe('out of paper');
    expect(describeError({ payload: 'confidential' })).toBe('[object Object]');
    expect(describeError(null)).toBe('null');
  });
});
