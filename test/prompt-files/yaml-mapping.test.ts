import { expect, test } from 'vitest';
import { Failure } from '../../src/failure.ts';
import { readMapping } from '../../src/prompt-files/yaml-mapping.ts';

const file = { name: 'a.md', path: '/a.md' };

const nested = (depth: number) => `a: ${'['.repeat(depth)}${']'.repeat(depth)}`;
const indented = Array.from({ length: 1500 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n');

test.each([
  ['lists', nested(20_000)],
  ['200 lists', nested(200)],
  ['mappings', `a: ${'{a: '.repeat(20_000)}1${'}'.repeat(20_000)}`],
  ['lists in lines', `a:\n  ${'- '.repeat(20_000)}1`],
  ['indented mappings', indented],
])('values that are nested too deeply are refused: %s', (_, text) => {
  const read = () => readMapping(text, file, 2);
  expect(read).toThrow(Failure);
  expect(read).toThrow('a.md:2: not valid YAML: its values are nested too deeply');
});

test('values may be nested', () => {
  expect(readMapping(nested(50), file, 2)).toMatchObject([{ key: 'a', place: { line: 2 } }]);
});
