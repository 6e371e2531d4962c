import { expect, test } from 'vitest';
import { fc } from '../support/properties.ts';
import { codeBlocks, extractBlock, parseExtract } from '../../src/conversation/code-blocks.ts';

const codes = (text: string) => codeBlocks(text).map(({ code }) => code);

test('codeBlocks finds blocks in lists and quotes, without their fences', () => {
  const answer = 'a\n\n```sh\nls\n```\n\n- b\n\n  ~~~\n  c\n  ~~~\n\n> ```\n> d\n> e\n> ```\n';
  expect(codes(answer)).toEqual(['ls\n', 'c\n', 'd\ne\n']);
});

test.each([
  ['with a lone CR', '```\na\rb\n```', 'a\rb\n'],
  ['with tabs as indentation of a list', '-\t```\n\ta\n\t\tb\n\t```\n', 'a\n\tb\n'],
  ['with a tab that the list takes a part of', '- ```\n\ta\n  ```\n', '  a\n'],
  ['with empty lines at its end', '```\na\n\n\n```\n', 'a\n\n\n'],
  ['of a fence with an indentation', '  ```\n  a\n    b\n  ```\n', 'a\n  b\n'],
  ['with a shorter fence in it', '````md\n```sh\nls\n```\n````\n', '```sh\nls\n```\n'],
  ['with the other fence in it', '~~~\n```\n~~~\n', '```\n'],
  ['without a line', '```\n```\n', ''],
])('code is byte for byte that of the answer %s', (_what, text, code) => {
  expect(extractBlock(text, 1)).toMatchObject({ code });
});

const parts = ['a', '\t', ' ', '> ', '- ', '#', '`.', '~~', '\u00A0', 'é'];
const line = fc.array(fc.constantFrom(...parts), { maxLength: 6 }).map((some) => some.join(''));
const places = [
  ['', ''],
  ['1. a\n\n', '   '],
  ['- a\n\n', '  '],
  ['> a\n', '> '],
  ['> 1. a\n>\n', '>    '],
];

test('code is that of the answer in a list, in a quote, with tabs, and with any line end', () => {
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 6 }),
      fc.constantFrom(...places),
      fc.constantFrom('\n', '\r\n'),
      (lines, [before = '', marker = ''], end) => {
        const block = ['```sh', ...lines, '```'].map((one) => `${marker}${one}\n`).join('');
        const text = `a\n\n${before}${block}\nb\n`.replaceAll('\n', end);
        const code = lines.map((one) => one + end).join('');
        expect(extractBlock(text, 1)).toMatchObject({ code, language: 'sh' });
      },
    ),
    { numRuns: 1000 },
  );
});

test.each([
  ['text', 1, 'has no code block'],
  ['a\n\n    indented\n', 1, 'has no code block'],
  ['<pre>\n```\na\n```\n</pre>', 1, 'has no code block'],
  ['```\na\n```\n', 3, 'has 1 code block, not 3'],
  ['```\na\n```\n~~~\nb\n~~~', 3, 'has 2 code blocks, not 3'],
  ['```\na\n```\n```\nb', 'last', 'has a code block without its closing fence'],
  ['````\na\n```\n', 1, 'has a code block without its closing fence'],
  ['```\na\n```sh', 1, 'has a code block without its closing fence'],
  ['> ```\n> a\nb', 1, 'has a code block without its closing fence'],
] as const)('%j with block %s: %s', (text, wanted, problem) => {
  expect(extractBlock(text, wanted)).toBe(problem);
});

test('the language is the first word beside the fence', () => {
  const text = '```python title="a"\n```\n~~~\n~~~\n';
  expect(codeBlocks(text).map(({ language }) => language)).toEqual(['python', null]);
});

test('a number from 1 and last name a block', () => {
  expect(['1', '=2', 'last', '=last'].map(parseExtract)).toEqual([1, 2, 'last', 'last']);
  for (const value of ['0', '-1', '', '=', 'one', '1.5']) {
    expect(() => parseExtract(value)).toThrow('--extract must be 1 or more, or last');
  }
});
