import { plainStyle, type Style } from './style.ts';

/** Code 22 ends bold and dim; an attribute continues after one inside it. */
const weight = (begin: number, end = 22) => {
  const start = `\u001B[${begin}m`;
  const stop = `\u001B[${end}m`;
  return (text: string) =>
    text
      .split('\n')
      .map((line) => (line === '' ? line : start + line.replaceAll(stop, stop + start) + stop))
      .join('\n');
};

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
