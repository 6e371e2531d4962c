import { describe, expect, test } from 'vitest';
import {
  colorStyle,
  plainStyle,
  type Colors,
  darkColors,
  lightColors,
  themedStyle,
} from '../../src/terminal/style.ts';

type Rgb = readonly [red: number, green: number, blue: number];

const rgb = (hex: string): Rgb => {
  const value = Number.parseInt(hex, 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
};

/** WCAG 2.2, relative luminance and contrast ratio. */
function luminance(color: Rgb): number {
  const [red = 0, green = 0, blue = 0] = color.map((part) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: Rgb, other: Rgb): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** One of the 240 colours of xterm that follow the first 16: a cube, then greys. */
function fixedColor(index: number): Rgb {
  if (index >= 232) {
    const value = 8 + (index - 232) * 10;
    return [value, value, value];
  }
  const level = (step: number) => (step === 0 ? 0 : 55 + 40 * step);
  const cube = index - 16;
  return [level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)];
}

const colorOf = (code: string) => fixedColor(Number(/^38;5;(\d+)$/.exec(code)?.[1]));

/** Of xterm, Terminal, iTerm2, VS Code, Windows Terminal, GNOME, and the themes One, Solarized, Dracula, Gruvbox. */
const backgrounds = {
  dark: '000000 1e1e1e 0c0c0c 300a24 282c34 002b36 282a36 282828 171421 24292e'.split(' '),
  light: 'ffffff fafafa fdf6e3 f9f5d7 fbf1c7 f6f8fa eff1f5 ffffdd'.split(' '),
} as const;

/** SGR 31 to 36 and 91 to 96 of xterm, Windows Terminal and VS Code. */
const palettes: Readonly<Record<string, readonly string[]>> = {
  xterm:
    'cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff'.split(
      ' ',
    ),
  campbell:
    'c50f1f 13a10e c19c00 0037da 881798 3a96dd e74856 16c60c f9f1a5 3b78ff b4009e 61d6d6'.split(
      ' ',
    ),
  vscode:
    'cd3131 0dbc79 e5e510 2472c8 bc3fbc 11a8cd f14c4c 23d18b f5f543 3b8eea d670d6 29b8db'.split(
      ' ',
    ),
};

function namedColor(code: string, palette: readonly string[]): Rgb {
  const index = Number(code);
  return rgb(palette[index >= 91 ? index - 85 : index - 31] ?? '');
}

describe.each([
  ['dark', darkColors],
  ['light', lightColors],
] as const)('the theme %s', (shade, { many, few }) => {
  test.each(Object.entries(many))('has a readable %s of the 240 colours', (_, code) => {
    for (const background of backgrounds[shade]) {
      expect(contrast(colorOf(code), rgb(background))).toBeGreaterThanOrEqual(4.5);
    }
  });

  test.each(Object.entries(few))('has a readable %s of the 16 colours', (name, code) => {
    // No red or magenta of all palettes has more on black.
    const least = shade === 'dark' && /^(?:red|magenta)$/.test(name) ? 3 : 4.5;
    const background = rgb(shade === 'dark' ? '000000' : 'ffffff');
    for (const palette of Object.values(palettes)) {
      expect(contrast(namedColor(code, palette), background)).toBeGreaterThanOrEqual(least);
    }
  });
});

const own = colorStyle;
const unknown = { background: undefined, hasMany: true } as const;
const colors: Colors = lightColors.many;

describe('a theme', () => {
  test("color is the terminal's own 16 colours, or those for its background", () => {
    expect(themedStyle('color', own, unknown)).toBe(own);
    const style = themedStyle('color', own, { ...unknown, background: 'light' });
    expect(style.red('a')).toBe(`\u001B[${colors.red}ma\u001B[39m`);
    expect(style.bold('a')).toBe(own.bold('a'));
  });

  test('light and dark do not depend on the background', () => {
    const style = themedStyle('light', own, { ...unknown, background: 'dark' });
    expect(style.red('a')).toBe(`\u001B[${colors.red}ma\u001B[39m`);
    const few = themedStyle('dark', own, { background: undefined, hasMany: false });
    expect(few.red('a')).toBe('\u001B[91ma\u001B[39m');
    expect(few.dim('a')).toBe(own.dim('a'));
  });

  test('mono and plain have no colours, and no theme adds some', () => {
    const { green, blue, magenta } = themedStyle('mono', own, unknown);
    expect([green('a'), blue('a'), magenta('a')]).toEqual(['a', 'a', own.bold('a')]);
    expect(themedStyle('plain', own, unknown)).toBe(plainStyle);
    expect(themedStyle('light', plainStyle, unknown)).toBe(plainStyle);
  });
});
