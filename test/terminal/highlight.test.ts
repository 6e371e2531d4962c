import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { openHighlight } from '../../src/terminal/highlight.ts';
import { colorStyle, plainStyle } from '../../src/terminal/style.ts';
import { expectForAll, fc } from '../support/properties.ts';

const style = colorStyle;

/** A line in the language, and the part of it with the look. */
const samples = [
  ['ts', 'const x: number = 1; // one', 'dim', '// one'],
  ['json', '{"a": 1}', 'cyan', '1'],
  ['python', 'def f(x): # note', 'magenta', 'def'],
  ['go', 'func main() {', 'magenta', 'func'],
  ['C++', 'auto x = "s";', 'green', '"s"'],
  ['bash', 'echo "hi" # note', 'dim', '# note'],
  ['powershell', 'if ($x) { } # note', 'dim', '# note'],
  ['sql', 'SELECT 1 FROM t', 'magenta', 'SELECT'],
  ['html', '<p class="x">text</p>', 'green', '"x"'],
  ['css', 'a { color: red; } /* note */', 'dim', '/* note */'],
  ['yaml', 'a: 1 # note', 'dim', '# note'],
  ['dockerfile', 'FROM node:20', 'magenta', 'FROM'],
  ['diff', '+added', 'green', '+added'],
  ['haskell', 'let x = 1 -- note', 'dim', '-- note'],
] as const;

test.each(samples)('styles %s', (language, line, look, part) => {
  const styled = openHighlight(language, style)(line);
  expect(stripVTControlCharacters(styled)).toBe(line);
  expect(styled).toContain(style[look](part));
});

test('continues a comment over several lines', () => {
  const line = openHighlight('ts', style);
  expect([line('/* one'), line('two'), line('*/ let')]).toEqual([
    style.dim('/* one'),
    style.dim('two'),
    `${style.dim('*/')} ${style.magenta('let')}`,
  ]);
});

test('starts each block with a new state', () => {
  openHighlight('ts', style)('/* never closed');
  expect(openHighlight('ts', style)('let')).toBe(style.magenta('let'));
});

test.each(['', 'mermaid', 'text', 'constructor', '__proto__'])(
  'leaves the unknown language %j as it is',
  (language) => {
    expect(openHighlight(language, style)('let x')).toBe('let x');
  },
);

test('T19 adds nothing without colour', () => {
  expect(openHighlight('ts', plainStyle)('let x')).toBe('let x');
});

test('T15 leaves a line of a million characters unchanged', () => {
  const line = 'let x = 1;'.repeat(1e5);
  expect(openHighlight('ts', style)(line)).toBe(line);
});

test('shows every line of any text in every language', () => {
  const lines = fc.array(
    fc.string({ unit: fc.constantFrom(...'<>/*"\'`${}()[];=#-+@!: \\\taé日1'.split('')) }),
  );
  expectForAll(fc.constantFrom(...samples), lines, ([language], texts) => {
    const highlight = openHighlight(language, style);
    for (const text of texts) expect(stripVTControlCharacters(highlight(text))).toBe(text);
  });
});
