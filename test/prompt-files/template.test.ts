import { describe, expect, test } from 'vitest';
import { fillTemplate, parseTemplate, placeholdersOf } from '../../src/prompt-files/template.ts';

const file = { name: 'a.md', path: '/a.md' };

const parse = (text: string, options: Parameters<typeof parseTemplate>[2] = {}, line = 1) =>
  parseTemplate(text, { file, line }, options);

const values = {
  variables: new Map([['x', 'X']]),
  stdin: 'IN',
  words: ['one', 'two words'],
  contentOf: ({ name }: { name: string }) => `<${name}>`,
};

describe('a template', () => {
  test.each([
    ['{{x}}', 'X'],
    ['{{ x }}{{\tx}}', 'XX'],
    ['{{stdin}}', 'IN'],
    ['{{file: notes.md }}', '<notes.md>'],
    ['$ARGUMENTS', 'one two words'],
    ['$ARGUMENTSX $ARGUMENT', '$ARGUMENTSX $ARGUMENT'],
    [String.raw`\{{x}}`, '{{x}}'],
    [String.raw`\\{{x}}`, String.raw`\X`],
    [String.raw`\\\{{x}}`, String.raw`\{{x}}`],
    [String.raw`\$ARGUMENTS`, '$ARGUMENTS'],
    [String.raw`C:\dir \n`, String.raw`C:\dir \n`],
    ['{{}} {{1}} {{a.b}} {{{x}}} {x}', '{{}} {{1}} {{a.b}} {X} {x}'],
    ['{{x\n}}', '{{x\n}}'],
    ['$1', '$1'],
  ])('%j becomes %j', (text, expected) => {
    expect(fillTemplate(parse(text), values)).toBe(expected);
  });

  test.each([
    ['$1 and $2', 'one and two words'],
    ['$1. $1, $1)', 'one. one, one)'],
    ['$10 $1.50 $1,000 $0', '$10 $1.50 $1,000 $0'],
    [String.raw`\$1`, '$1'],
  ])('with numbered words %j becomes %j', (text, expected) => {
    expect(fillTemplate(parse(text, { takesArguments: true }), values)).toBe(expected);
  });

  test('of fabric has standard input as {{input}}', () => {
    expect(fillTemplate(parse('{{input}}', { takesInput: true }), values)).toBe('IN');
    expect(placeholdersOf(parse('{{input}}'), 'variable')).toHaveLength(1);
  });

  test('has the lines of its placeholders', () => {
    const found = placeholdersOf(parse('a\n{{x}}{{y}}\n\n{{z}}', {}, 10), 'variable');
    expect(found.map(({ name, place }) => [name, place.line])).toEqual([
      ['x', 11],
      ['y', 11],
      ['z', 13],
    ]);
  });

  test('of many backslashes and braces is parsed in linear time', () => {
    const text = `${'\\'.repeat(200_000)} ${'{{file:'.repeat(50_000)} ${'{{ '.repeat(50_000)}`;
    expect(fillTemplate(parse(text), values)).toBe(text);
  });
});
