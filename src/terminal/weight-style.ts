import { plainStyle, type Style } from './style.ts';

const around = (begin: number, end: number) => (text: string) =>
  text
    .split('\n')
    .map((line) => (line === '' ? line : `\u001B[${begin}m${line}\u001B[${end}m`))
    .join('\n');

/** Bold and dim text without colours, for `NO_COLOR`. */
export const weightStyle: Style = { ...plainStyle, bold: around(1, 22), dim: around(2, 22) };
