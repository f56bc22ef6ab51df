import { expect, it } from 'vitest';
import { readHandlerResult } from './handler-result.js';

it.each([
  ['the value that a handler returned', null, '{"value":{"rows":3}}', { value: { rows: 3 } }],
  ['why a value of a handler could not be kept', null, '{"error":"too large"}', { error: 'too large' }],
  ['no result in the body of a ping that is text', null, 'backup of 3 GB', null],
  ['no result in the body of a ping that is a number', null, '42', null],
  ['no result in the answer of a receiver', 200, '{"value":1}', null],
  ['no result without a response', null, null, null],
])(
  'readHandlerResult reads the stored response of an attempt and finds %s',
  (_, httpStatus, response, expected) => {
    expect(readHandlerResult({ httpStatus, response })).toEqual(expected);
  },
);
