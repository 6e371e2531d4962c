import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createHighlighter } from '../../../src/terminal/highlight/highlight.ts';
import { colorStyle, plainStyle } from '../../../src/terminal/style.ts';
import { fc } from '../../support/properties.ts';

const style = colorStyle;
const highlighter = createHighlighter(style);

/** A line in the language, and the part of it with the look. */
const samples = [
  ['ts', 'const x: number = 1; // one', 'dim', '// one'],
  ['tsx', 'return <p>{name}</p>;', 'magenta', 'return'],
  ['js', 'let s = "text";', 'green', '"text"'],
  ['jsx', 'import React from "react";', 'magenta', 'import'],
  ['json', '{"a": 1}', 'cyan', '1'],
  ['python', 'def f(x): # note', 'magenta', 'def'],
  ['go', 'func main() {', 'magenta', 'func'],
  ['rust', 'let x = 1;', 'magenta', 'let'],
  ['c', 'return 0;', 'magenta', 'return'],
  ['C++', 'auto x = "s";', 'green', '"s"'],
  ['java', 'public class A {', 'magenta', 'public'],
  ['c#', 'using System;', 'magenta', 'using'],
  ['kotlin', 'fun main() {', 'magenta', 'fun'],
  ['swift', 'let x = 1', 'cyan', '1'],
  ['ruby', 'def f # note', 'dim', '# note'],
  ['bash', 'echo "hi" # note', 'dim', '# note'],
  ['powershell', 'if ($x) { } # note', 'dim', '# note'],
  ['sql', 'SELECT 1 FROM t', 'magenta', 'SELECT'],
  ['html', '<p class="x">text</p>', 'green', '"x"'],
  ['xml', '<a b="c"/>', 'green', '"c"'],
  ['css', 'a { color: red; } /* note */', 'dim', '/* note */'],
  ['yaml', 'a: 1 # note', 'dim', '# note'],
  ['toml', 'a = "b"', 'green', '"b"'],
  ['dockerfile', 'FROM node:20', 'magenta', 'FROM'],
  ['diff', '+added', 'green', '+added'],
  ['lua', 'local x = 1', 'magenta', 'local'],
  ['perl', 'my $x = 1; # note', 'dim', '# note'],
  ['r', 'x <- 1 # note', 'dim', '# note'],
  ['scala', 'val x = 1', 'magenta', 'val'],
  ['haskell', 'let x = 1 -- note', 'dim', '-- note'],
] as const;

describe('createHighlighter', () => {
  test.each(samples)('styles %s', async (language, line, look, part) => {
    await highlighter.load();
    const styled = highlighter.open(language)(line);
    expect(stripVTControlCharacters(styled)).toBe(line);
    expect(styled).toContain(style[look](part));
  });

  test('continues a comment over several lines', async () => {
    await highlighter.load();
    const line = highlighter.open('ts');
    expect([line('/* one'), line('two'), line('*/ let')]).toEqual([
      style.dim('/* one'),
      style.dim('two'),
      `${style.dim('*/')} ${style.magenta('let')}`,
    ]);
  });

  test('starts each block with a new state', async () => {
    await highlighter.load();
    highlighter.open('ts')('/* never closed');
    expect(highlighter.open('ts')('let')).toBe(style.magenta('let'));
  });

  test('loads the modes once', async () => {
    const fresh = createHighlighter(style);
    await fresh.load();
    expect(fresh.load()).toBeUndefined();
  });

  test.each(['', 'mermaid', 'text', 'constructor', '__proto__'])(
    'leaves the unknown language %j as it is',
    async (language) => {
      await highlighter.load();
      expect(highlighter.open(language)('let x')).toBe('let x');
    },
  );

  test('T19 loads and adds nothing without colour', () => {
    const plain = createHighlighter(plainStyle);
    expect(plain.load()).toBeUndefined();
    expect(plain.open('ts')('let x')).toBe('let x');
  });

  test('T15 leaves a line of a million characters unchanged', async () => {
    await highlighter.load();
    const line = 'let x = 1;'.repeat(1e5);
    expect(highlighter.open('ts')(line)).toBe(line);
  });

  test('shows every line of any text in every language', async () => {
    await highlighter.load();
    const lines = fc.array(
      fc.string({ unit: fc.constantFrom(...'<>/*"\'`${}()[];=#-+@!: \\\taé日1'.split('')) }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...samples), lines, ([language], texts) => {
        const highlight = highlighter.open(language);
        for (const text of texts) expect(stripVTControlCharacters(highlight(text))).toBe(text);
      }),
      { numRuns: 300 },
    );
  });
});
