import { describe, expect, it } from 'vitest';
import { parseExactly, writeExactly } from './exact-json.js';

describe('Exact JSON', () => {
  it.each([
    '12345678901234567890',
    '-9007199254740993',
    '{"id":18446744073709551615,"ids":[9007199254740993,1],"text":"12345678901234567890"}',
    '{"a\\"1234567890123456789":"\\\\","b":{"c":[[1234567890123456789]]}}',
    '["integer:1234567890123456789",1234567890123456789]',
    '["_integer:5",1234567890123456789,"integer:5"]',
  ])('the JSON text %s is the same after it was parsed and written', (text) => {
    expect(writeExactly(parseExactly(text))).toBe(text);
  });

  it('integers that a JavaScript number holds exactly, and fractions, are parsed as numbers', () => {
    const text = '[9007199254740991,0.1234567890123456789,1e20,1000000000000000000000.5,-12]';
    expect(parseExactly(text)).toEqual(JSON.parse(text));
  });

  it.each([
    '1234567890123456789x',
    '01234567890123456789',
    '[1234567890123456789',
    '--12345678901234567',
    '{1234567890123456789 : 1}',
  ])('the invalid JSON text %s is refused, as JSON.parse refuses it', (text) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    expect(() => parseExactly(text)).toThrow(SyntaxError);
  });

  it('writeExactly throws the error of a toJSON method unchanged', () => {
    const broken = {
      toJSON() {
        throw new RangeError('broken');
      },
    };
    expect(() => writeExactly(broken)).toThrow(RangeError);
  });
});
