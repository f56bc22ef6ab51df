import { describe, expect, it } from 'vitest';
import { parseDocuments } from './read-documents.js';

describe('parseDocuments', () => {
  it.each([
    ['one JSON value', '{"a": 1}', [{ a: 1 }]],
    ['an array', '[{"a": 1}]', [[{ a: 1 }]]],
    ['one JSON value per line', '{"a": 1}\n{"a": 2}\n', [{ a: 1 }, { a: 2 }]],
    ['indented JSON values one after the other', '{\n  "a": 1\n}\n{\n  "a": 2\n}\n', [{ a: 1 }, { a: 2 }]],
    ['documents of YAML', '---\na: 1\n---\na: 2\n', [{ a: 1 }, { a: 2 }]],
    ['an empty file', '', []],
  ])('the documents of an import file with %s are parsed', (_, text, expected) => {
    expect(parseDocuments(text, 'x')).toEqual(expected);
  });

  it('the error about an invalid import file names the path of the file', () => {
    expect(() => parseDocuments('a: [', 'x.yaml')).toThrow('x.yaml: ');
    expect(() => parseDocuments('{"a": 1}\n{"a": }', 'x.json')).toThrow('x.json: ');
  });
});
