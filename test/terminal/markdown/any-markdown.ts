import { fc } from '../../support/properties.ts';

/** Marks and words of Markdown, to be joined at random. */
export const fragments: readonly string[] = [
  ...'* _ ~ ` [ ] ( ) < > ! | # - + = : & \\ ** ``` ~~~ ]( 1. |---| a word 日本 é 😀 http://x.y'.split(
    ' ',
  ),
  ...'&amp; &#27; &#x202e; <b> ts . $ $$ \\( \\) \\[ \\] \\begin{a} \\end{a}'.split(' '),
  ...'**「引号」** *em* `code` [a](b) ![](c) me@x.y www.x.y snake_case ~~gone~~ $x_1$ \\(a\\,b\\)'.split(
    ' ',
  ),
];
const spaces = [' ', '  ', '    ', '\n', '\n\n', '\n> ', '\n- ', '\n  ', '  \n', '\\\n', '\t'];
const blocks = [
  '\n# Title\n',
  '\n1. ',
  '\n- [ ] ',
  '\n===\n',
  '\n---\n',
  '\n```ts\n/* a\n',
  '\n```\n',
  '\n| a | b |\n',
  '\n|---|:-:|\n',
  '\n\\[\n',
  '\n\\]\n',
  '\n[1]: a\n',
];

/** Any Markdown of these parts. */
export function markdownOf(parts: readonly string[]) {
  return fc
    .array(fc.constantFrom(...parts, ...parts, ...spaces, ...spaces, ...spaces, ...blocks), {
      maxLength: 60,
    })
    .map((found) => found.join(''));
}

/** The text in pieces. */
export function cutAt(text: string, cuts: readonly number[]): string[] {
  const places = [...new Set([0, ...cuts.map((cut) => cut % (text.length + 1)), text.length])];
  places.sort((one, other) => one - other);
  return places.slice(1).map((place, index) => text.slice(places[index], place));
}
