import { expect, test } from 'vitest';
import { compactJson, parsePointer, textAt } from '../../src/schema/json-pointer.ts';

/** The document and the pointers of RFC 6901, section 5. */
const document = String.raw`{
  "foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7, "m~n": 8
}`;

const at = (json: string, pointer: string) => textAt(json, parsePointer(pointer));

test.each([
  ['/foo', '["bar", "baz"]'],
  ['/foo/0', '"bar"'],
  ['/', '0'],
  ['/a~1b', '1'],
  ['/c%d', '2'],
  ['/e^f', '3'],
  ['/g|h', '4'],
  ['/i\\j', '5'],
  ['/k"l', '6'],
  ['/ ', '7'],
  ['/m~0n', '8'],
])('finds the value at %s', (pointer, text) => {
  expect(at(document, pointer)).toBe(text);
});

test('an empty pointer is the whole value, without the spaces around it', () => {
  expect(at(' [1, 2]\n', '')).toBe('[1, 2]');
});

test.each(['/none', '/foo/2', '/foo/-', '/foo/00', '/foo/0/1', '/foo/bar', '//x', '/toString'])(
  'finds nothing at %s',
  (pointer) => {
    expect(at(document, pointer)).toBeUndefined();
  },
);

test('keeps digits, escapes and nested values as they are written', () => {
  const json = String.raw`[{"n": 12345678901234567890, "t": "a\u00e9]}", "x": {"y": [1.10, []]}}, true]`;
  expect(at(json, '/0/n')).toBe('12345678901234567890');
  expect(at(json, '/0/t')).toBe(String.raw`"a\u00e9]}"`);
  expect(at(json, '/0/x/y')).toBe('[1.10, []]');
  expect(at(json, '/0/x/y/1')).toBe('[]');
  expect(at(json, '/1')).toBe('true');
});

test('of equal names the last one counts, as for a parser', () => {
  expect(at('{"a": 1, "\\u0061": 2}', '/a')).toBe('2');
});

test.each([
  ['a/b', 'must be a JSON Pointer'],
  ['/a~2', 'has a ~ that is not part of ~0 or ~1'],
  ['/a~', 'has a ~ that is not part of ~0 or ~1'],
])('refuses %s', (pointer, problem) => {
  expect(() => parsePointer(pointer)).toThrow(`--select ${problem}`);
});

test('a pointer that Git Bash turned into a path has a hint', () => {
  expect(() => parsePointer('C:/Program Files/Git/name')).toThrow(
    expect.objectContaining({ hint: expect.stringContaining('MSYS_NO_PATHCONV') }),
  );
});

test('compact JSON has no spaces between its tokens, and all those in texts', () => {
  expect(compactJson('{\n "a b" : [ 1 , "x  \\" y" ]\t}')).toBe('{"a b":[1,"x  \\" y"]}');
});
