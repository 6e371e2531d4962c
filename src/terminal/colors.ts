/** The looks of a style that are colours; `dim` is a grey where greys are known. */
export type ColorName = 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan' | 'dim';

/** Parameters of SGR. */
export type Colors = { readonly [Name in ColorName]?: string };

interface ThemeColors {
  /** From the 240 colours that are the same in every terminal. */
  readonly many: Required<Colors>;
  /** From the 16 colours whose values differ between terminals. */
  readonly few: Colors;
}

const fixed = (index: number) => `38;5;${index}`;

/** Readable on dark backgrounds (WCAG contrast 4.5; 3 for red and magenta of the 16 colours). */
export const darkColors: ThemeColors = {
  many: {
    red: fixed(210),
    green: fixed(114),
    yellow: fixed(221),
    blue: fixed(117),
    magenta: fixed(183),
    cyan: fixed(80),
    dim: fixed(249),
  },
  few: { red: '91', green: '32', yellow: '93', blue: '36', magenta: '95', cyan: '36' },
};

/** Readable on light backgrounds. */
export const lightColors: ThemeColors = {
  many: {
    red: fixed(124),
    green: fixed(22),
    yellow: fixed(94),
    blue: fixed(25),
    magenta: fixed(90),
    cyan: fixed(23),
    dim: fixed(240),
  },
  few: { red: '31', green: '34', yellow: '35', blue: '34', magenta: '35', cyan: '34' },
};
