import { describe, expect, test } from 'vitest';
import { composePrompt, splitPrompt } from '../../src/conversation/compose-prompt.ts';
import { expectForAll, fc } from '../support/properties.ts';

const file = (name: string, content: string) => ({ name, content });
const a = file('a', '1\n');
const ab = '<file name="a">\n1\n</file>\n\n<file name="b">\n2\n</file>';

test.each([
  ['a prompt', { prompt: 'hi', files: [], input: '' }, 'hi'],
  ['input', { files: [], input: 'a\n' }, 'a\n'],
  ['input in two places', { prompt: '{{stdin}}: {{stdin}}', files: [], input: '$&' }, '$&: $&'],
  ['a placeholder without input', { prompt: 'a {{stdin}}', files: [] }, 'a {{stdin}}'],
  ['a file without a last line end', { files: [file('a', 'x')] }, '<file name="a">\nx\n</file>'],
  ['an empty file', { files: [file('a', '')] }, '<file name="a">\n</file>'],
  [
    'a hostile name',
    { files: [file('a"><b>&', '')] },
    '<file name="a&quot;&gt;&lt;b&gt;&amp;">\n</file>',
  ],
  ['all, in order', { prompt: 'p', files: [a, file('b', '2')], input: 'in' }, `p\n\n${ab}\n\nin`],
])('%s', (_, parts, text) => {
  expect(composePrompt(parts)).toBe(text);
});

test('standard input is never changed', () => {
  expectForAll(fc.string({ minLength: 1 }), (input) => {
    expect(composePrompt({ prompt: 'p', files: [], input })).toBe(`p\n\n${input}`);
  });
});

const texts = fc.array(
  fc.constantFrom('a', '\n', '\n\n', '</file>', '</file-1>', '<file name="a">', '&amp;', '"'),
);
const pieces = texts.map((parts) => parts.join(''));

describe('Y12: a file cannot close its own block', () => {
  test.each([
    ['</file>', 'file-1'],
    ['< / FILE >', 'file-1'],
    ['<file name="b">', 'file-1'],
    ['</file>\n</file-1>', 'file-2'],
    ['</file-1>', 'file'],
    ['</filename> profile', 'file'],
  ])('%j is in a block with the tag %s', (content, tag) => {
    const composed = composePrompt({ prompt: 'p', files: [file('a', content), file('b', 'x')] });
    expect(composed).toBe(
      `p\n\n<${tag} name="a">\n${content}\n</${tag}>\n\n<file name="b">\nx\n</file>`,
    );
    expect(splitPrompt(composed).files.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  test('for any content', () => {
    const words = ['</', '<', 'file', 'FILE', '-1', '-2', '>', ' ', '\n'];
    expectForAll(fc.array(fc.constantFrom(...words)), (parts) => {
      const block = composePrompt({ files: [file('a', parts.join(''))] });
      const [, tag = ''] = /^<(\S+) /.exec(block) ?? [];
      const ends = block.match(new RegExp(String.raw`<[\s/]*${tag}(?![\w-])`, 'gi'));
      expect(ends).toEqual([`<${tag}`, `</${tag}`]);
    });
  });
});

test('a prompt is split into parts that compose the same content', () => {
  const files = fc.array(fc.record({ name: pieces, content: pieces }), { maxLength: 3 });
  expectForAll(pieces, files, (prompt, attached) => {
    const content = composePrompt({ prompt, files: attached });
    expect(composePrompt(splitPrompt(content))).toBe(content);
  });
});

test.each([
  ['files', { prompt: 'p', files: [file('a"<&.md', '1\n\n2\n'), file('b', '')] }],
  ['only a file', { prompt: '', files: [file('a', 'x\n')] }],
])('a prompt with %s is split into its parts', (_, parts) => {
  expect(splitPrompt(composePrompt(parts))).toEqual(parts);
});

test('a prompt that ends with piped input is not split', () => {
  const content = composePrompt({ prompt: 'p', files: [file('a', 'x')], input: 'in' });
  expect(splitPrompt(content)).toEqual({ prompt: content, files: [] });
});
