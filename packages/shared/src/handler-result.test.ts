import { expect, it } from 'vitest';
import { readHandlerResult } from './handler-result.js';

it.each([
  ['the value that a handler returned', 'export', '{"value":{"rows":3}}', { value: { rows: 3 } }],
  ['why a value of a handler could not be kept', 'export', '{"error":"too large"}', { error: 'too large' }],
  ['no result if a handler returned nothing', 'export', null, null],
  ['no result in the body of a ping', null, 'backup of 3 GB', null],
  ['no result in a body or an answer that looks like the result of a handler', null, '{"value":1}', null],
])(
  'readHandlerResult reads the stored response of an attempt and finds %s',
  (_, handler, response, expected) => {
    expect(readHandlerResult({ handler, response })).toEqual(expected);
  },
);
