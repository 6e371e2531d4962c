import { describe, expect, test } from 'vitest';
import { colorStyle } from '../../../src/terminal/style.ts';
import { processorTime } from '../../support/processor-time.ts';
import { openStream, render } from './render.ts';

const { bold, cyan, italic, underline } = colorStyle;

const plain = { unicode: false } as const;

describe('X28: without Unicode, mathematics is shown as written', () => {
  test.each([
    String.raw`\(a\,b\) and \[\{x\}\] and $$\\$$`,
    String.raw`It is $\{x_1 * y_2 * z\}$, of course.`,
    String.raw`\( a < b & c > d \) &c`,
    String.raw`$a\_b$ and $f(x)=\#$; $$ a \! b $$ $\alpha$`,
    String.raw`$x$$y$ and $\$$ and \(\)`,
    'A formula \\(a +\n*b* + \\,c*d*\\) continues',
    '\\[\n  x = \\begin{cases} 1 & x > 0 \\\\\n- 1 & x \\le 0\n= 2\n\\end{cases}\n\\]',
    'text\n$$\n> a \\, b\n\n+ c \\\\\n| d |\n$$\ntext',
    '$$ a \\\\ b $$.\n\\[ c \\, d \\]',
    '\\begin{align*}\na &= b \\\\\n- c\n\\end{align*}',
    'The sum $$ a \\\\\n= b \\, c\n- d $$ is it.',
    `$$ ${String.raw`x \, y \\ `.repeat(200)} $$`,
  ])('%j', (source) => {
    expect(render(source, plain)).toBe(`${source}\n`);
    expect(render(source.split(''), plain)).toBe(`${source}\n`);
    expect(render(source, { ...plain, color: false })).toBe(`${source}\n`);
  });

  test.each([
    [String.raw`**so \(a\*b\*c\) it** is`, `${bold(String.raw`so \(a\*b\*c\) it`)} is\n`],
    [String.raw`*a $x*y$ b*`, `${italic('a $x*y$ b')}\n`],
    [String.raw`### $\{x\}$`, `${bold(String.raw`$\{x\}$`)}\n`],
    [String.raw`- $\{x\}$`, `- ${String.raw`$\{x\}$`}\n`],
    ['- a\n  $$\n    \\{ x\n  $$', '- a\n  $$\n    \\{ x\n  $$\n'],
  ])('within %j', (source, output) => {
    expect(render(source, plain)).toBe(output);
  });

  test('in a table, an escaped bar in a formula is kept', () => {
    const source = '| $\\|x\\|$ | \\| |\n|---|---|\n| \\(a\\|b\\) | `c \\| d` |';
    const output = render(source, { ...plain, color: false });
    expect(output).toMatch(/^\$\\\|x\\\|\$ +\| \|\n/);
    expect(output).toMatch(/\n\\\(a\\\|b\\\) +\| `c \| d`\n$/);
  });
});

describe('X28: mathematics is shown as Unicode', () => {
  test.each([
    [String.raw`\(a\,b\) and \[\{x\}\] and $\alpha$`, 'a b and {x} and α'],
    [String.raw`It is $\{x_1 * y_2 * z\}$, of course.`, 'It is {x₁ * y₂ * z}, of course.'],
    [String.raw`$x$$y$ and \(\)`, String.raw`xy and \(\)`],
    ['The $n$th of $n$ terms', 'The nth of n terms'],
    ['\\[\n  x^2\n\\]', '  x²'],
    ['text\n$$\na \\, b\n\n+ c\n$$\ntext', 'text\n  a b + c\ntext'],
    ['$$ a $$.', '  a.'],
    ['\\begin{align*}\na &= b \\\\\n&= c\n\\end{align*}', '  a = b\n    = c'],
    ['The sum $$ a\n- d $$ is it.', 'The sum a - d is it.'],
    [String.raw`- $\{x\}$`, '• {x}'],
    ['- a\n  $$\n    \\{ x\n  $$', '• a\n    {x'],
    ['$$\n\\foo\n$$', '$$\n\\foo\n$$'],
    [String.raw`$\foo$ and $x$`, String.raw`$\foo$ and x`],
  ])('%j', (source, output) => {
    expect(render(source)).toBe(`${output}\n`);
    expect(render(source.split(''))).toBe(`${output}\n`);
  });

  test('within bold text, and in a table', () => {
    expect(render(String.raw`**so \(a*b*c\) it** is`)).toBe(`${bold('so a*b*c it')} is\n`);
    const table = render('| $\\|x\\|$ |\n|---|\n| \\(a\\le b\\) |', { color: false });
    expect(table).toBe('‖x‖\n─────\na ≤ b\n');
  });

  test('a displayed formula is wrapped', () => {
    expect(render('$$a + b + c + d$$', { width: 9 })).toBe('  a + b +\n  c + d\n');
  });

  test('a displayed formula is a preview until its end, and is kept without one', () => {
    const stream = openStream();
    expect(stream.write('$$\na\n')).toBe('');
    expect(stream.undecided()).toBe('$$\na');
    expect(stream.end()).toBe('$$\na\n');
  });
});

test.each([
  [String.raw`\*not\* \{x\} \, \$5`, '*not* {x} , $5\n'],
  ['$5 and *$10*', `$5 and ${italic('$10')}\n`],
  ['$5, $6 or $7 (*x* in $1M-$2M)', `$5, $6 or $7 (${italic('x')} in $1M-$2M)\n`],
  ['$HOME/bin:$PATH and ${A}${B} *x*', `$HOME/bin:$PATH and \${A}\${B} ${italic('x')}\n`],
  ['$5, *x* and 6$7', `$5, ${italic('x')} and 6$7\n`],
  ['$ 5*x* $', `$ 5${italic('x')} $\n`],
  ['a $x *y* $ z', `a $x ${italic('y')} $ z\n`],
  [String.raw`\(a \*b\*`, '(a *b*\n'],
  [String.raw`use $$ and *x*`, `use $$ and ${italic('x')}\n`],
  [String.raw`\\(a\\) \\[b\\]`, String.raw`\(a\) \[b\]` + '\n'],
  ['`$x` and `y$`', `${cyan('$x')} and ${cyan('y$')}\n`],
  ['https://a.example/$x_y$ *z*', `${underline('https://a.example/$x_y$')} ${italic('z')}\n`],
  [`$${'x '.repeat(300)} *y* z$`, `$${'x '.repeat(300)} ${italic('y')} z$\n`],
])('X28: text that is not mathematics is Markdown: %j', (source, output) => {
  expect(render(source)).toBe(output);
});

test('X28: a heading or a code fence ends a formula without an end', () => {
  for (const next of ['# Title', '```\ncode\n```']) {
    expect(render(`\\[\nx\n\n${next}\n\n*y*`)).toContain(italic('y'));
  }
});

test('X28: an amount of money is written after the next word', () => {
  const stream = openStream();
  expect(stream.write('It costs $5 or')).toBe('It costs');
  expect(stream.write(' a little more')).toBe(' $5 or a little');
});

test('X28: a formula is held back until it ends', () => {
  const stream = openStream();
  expect(stream.write('see \\(a\\,b + c')).toBe('see');
  expect(stream.write('\\) now')).toBe(' a b + c');
});

test.each(['\\(', '\\[ ', '$$ ', '$x ', '$x\\', '\\begin{a}', '$\n\\[\n'])(
  'X28: formulas that begin with %j and do not end take linear time',
  async (opening) => {
    const time = await processorTime(() => render(opening.repeat(200_000 / opening.length)));
    expect(time).toBeLessThan(15_000);
  },
);
