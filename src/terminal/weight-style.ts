import { plainStyle, type Style } from './style.ts';

/** Code 22 ends bold and dim. */
const weight =
  (begin: number, end = 22) =>
  (text: string) =>
    text
      .split('\n')
      .map((line) => (line === '' ? line : `\u001B[${begin}m${line}\u001B[${end}m`))
      .join('\n');

/** Attributes without colours, for `NO_COLOR`; the theme `mono` puts them in the places of colours. */
export const weightStyle: Style = {
  ...plainStyle,
  colored: true,
  bold: weight(1),
  dim: weight(2),
  italic: weight(3, 23),
  underline: weight(4, 24),
  strike: weight(9, 29),
};
