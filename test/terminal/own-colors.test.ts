import { expect, test } from 'vitest';
import {
  colorStyle,
  plainStyle,
  createOwnPaints,
  type TerminalColors,
  themedStyle,
} from '../../src/terminal/style.ts';
import { createMarkdownStream } from '../../src/terminal/markdown/markdown-stream.ts';

const many: TerminalColors = { background: 'dark', hasMany: true };

const paintsOf = (color: string, terminal: TerminalColors = many) =>
  createOwnPaints(new Map([['code', { color, attributes: [] }]]), terminal);

test.each([
  ['red', many, '\u001B[31ma\u001B[39m'],
  ['bright-blue', many, '\u001B[94ma\u001B[39m'],
  ['default', many, 'a'],
  ['#5fafd7', { ...many, hasRgb: true }, '\u001B[38;2;95;175;215ma\u001B[39m'],
  ['#5fafd7', many, '\u001B[38;5;110ma\u001B[39m'],
  ['#ff0000', { ...many, hasMany: false }, '\u001B[91ma\u001B[39m'],
])('%s with %j', (color, terminal, painted) => {
  expect(paintsOf(color, terminal).code?.('a')).toBe(painted);
});

test('each line closes its attributes', () => {
  const look = { color: 'red', attributes: ['bold', 'underline'] } as const;
  const { heading } = createOwnPaints(new Map([['heading', look]]), many);
  const line = (text: string) =>
    `\u001B[31m\u001B[1m\u001B[4m${text}\u001B[24m\u001B[22m\u001B[39m`;
  expect(heading?.('a\nb')).toBe(`${line('a')}\n${line('b')}`);
});

test.each(['mono', 'plain'] as const)('the theme %s has no own looks', (theme) => {
  const style = themedStyle(theme, colorStyle, many, paintsOf('red'));
  expect(style.own).toBeUndefined();
});

test('without colour there are no own looks', () => {
  expect(themedStyle('dark', plainStyle, many, paintsOf('red'))).toBe(plainStyle);
});

async function render(source: string, parts: readonly string[]): Promise<string> {
  const named = (part: string) => (text: string) => `<${part}:${text}>`;
  const own = Object.fromEntries(parts.map((part) => [part, named(part)]));
  const stream = createMarkdownStream({
    style: themedStyle('dark', colorStyle, many, own),
    width: () => 12,
    hyperlinks: false,
    unicode: true,
  });
  return (await stream.write(source)) + (await stream.end());
}

test.each([
  ['heading', '# a', '<heading:a>\n'],
  ['heading', '#### a', '<heading:a>\n'],
  ['code', 'a `b`', 'a <code:b>\n'],
  ['link', '<https://a.example>', '<link:https://a.example>\n'],
  ['quote', '> a', '<quote:│> a\n'],
  ['rule', '---', '<rule:────────────>\n'],
  ['rule', '```\na\n```', '<rule:── 1 ───────>\na\n<rule:────────────>\n'],
])('an own look of %s replaces that of the theme in %j', async (part, source, shown) => {
  expect(await render(source, [part])).toBe(shown);
});

test('own looks of code blocks', async () => {
  const shown = await render('```ts\nconst a = "b"; // c\n```', ['keyword', 'string', 'comment']);
  for (const painted of ['<keyword:const>', '<string:"b">', '<comment:// c>']) {
    expect(shown).toContain(painted);
  }
});

test('code in a heading has both looks', async () => {
  expect(await render('# a `b`', ['heading', 'code'])).toBe('<heading:a ><heading:<code:b>>\n');
});
