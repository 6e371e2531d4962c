import { plainStyle, type Style } from './style.ts';

/** Code 22 ends both. */
const weight = (begin: number) => (text: string) =>
  text
    .split('\n')
    .map((line) => (line === '' ? line : `\u001B[${begin}m${line}\u001B[22m`))
    .join('\n');

/** Bold and dim text without colours, for `NO_COLOR`. */
export const weightStyle: Style = { ...plainStyle, bold: weight(1), dim: weight(2) };
