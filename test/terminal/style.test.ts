import { describe, expect, test } from 'vitest';
import {
  colorStyle,
  createOwnPaints,
  darkColors,
  hasColor,
  lightColors,
  type Look,
  plainStyle,
  type TerminalColors,
  themedStyle,
} from '../../src/terminal/style.ts';
import { render } from './markdown/render.ts';

test.each<[isTerminal: boolean, 'always' | 'never' | 'auto', Record<string, string>, boolean]>([
  [true, 'auto', {}, true],
  [false, 'auto', {}, false],
  [true, 'auto', { TERM: 'dumb' }, false],
  [true, 'auto', { NO_COLOR: '1' }, false],
  [true, 'auto', { NO_COLOR: '' }, true],
  [true, 'auto', { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
  [false, 'always', { NO_COLOR: '1' }, true],
  [true, 'never', { FORCE_COLOR: '1' }, false],
  [false, 'auto', { FORCE_COLOR: '1' }, true],
  [false, 'auto', { CLICOLOR_FORCE: '1' }, true],
  [true, 'auto', { FORCE_COLOR: '3', TERM: 'dumb' }, true],
  [false, 'auto', { FORCE_COLOR: '0' }, false],
  [false, 'auto', { CLICOLOR_FORCE: '0' }, false],
])(
  'T19: for a terminal (%j), --color=%s and %j, colour is %j',
  (isTerminal, option, variables, on) => {
    expect(hasColor(isTerminal, variables, option)).toBe(on);
  },
);

const isPaint = (name: string) => typeof plainStyle[name as Look] === 'function';
const looks = Object.keys(plainStyle).filter(isPaint) as Look[];

describe('the style with colours', () => {
  test.each(looks)('T19 %s changes nothing without colour', (look) => {
    expect(plainStyle[look]('text')).toBe('text');
  });

  // Without a known background there is no band.
  test.each(looks.filter((look) => look !== 'band'))(
    '%s opens one of the 16 colours or an attribute, and closes it',
    (look) => {
      const painted = colorStyle[look]('text');
      expect(painted).toMatch(/^\u001B\[(?:[123479]|3[1-6])mtext\u001B\[(?:2[23479]|39)m$/);
    },
  );

  test('T14 closes its codes before each line end', () => {
    expect(colorStyle.red('a\nb')).toBe('\u001B[31ma\u001B[39m\n\u001B[31mb\u001B[39m');
  });

  test('reopens a look after an inner one that ends with the same code', () => {
    const style = colorStyle;
    expect(style.bold(`a${style.dim('b')}c`)).toBe(
      '\u001B[1ma\u001B[2mb\u001B[22m\u001B[1mc\u001B[22m',
    );
  });

  test('adds nothing to an empty text', () => {
    expect(colorStyle.bold('')).toBe('');
  });
});

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

/** Of xterm, Terminal, iTerm2, VS Code, Windows Terminal, GNOME, and the themes One, Solarized, Dracula, Gruvbox. */
const backgrounds = {
  dark: '000000 1e1e1e 0c0c0c 300a24 282c34 002b36 282a36 282828 171421 24292e'.split(' '),
  light: 'ffffff fafafa fdf6e3 f9f5d7 fbf1c7 f6f8fa eff1f5 ffffdd'.split(' '),
} as const;

describe.each([
  ['dark', darkColors.many],
  ['light', lightColors.many],
] as const)('the theme %s', (shade, colors) => {
  test.each(Object.entries(colors))('has a readable %s of the 240 colours', (_, code) => {
    for (const background of backgrounds[shade]) {
      expect(contrast(fixedColor(code), rgb(background))).toBeGreaterThanOrEqual(4.5);
    }
  });
});

const unknown = { background: undefined, hasMany: true } as const;
const lightRed = `\u001B[38;5;${lightColors.many.red}ma\u001B[39m`;

test("the theme color is the terminal's own 16 colours, or those for its background", () => {
  expect(themedStyle('color', colorStyle, unknown)).toEqual(colorStyle);
  const style = themedStyle('color', colorStyle, { ...unknown, background: 'light' });
  expect(style.red('a')).toBe(lightRed);
  expect(style.bold('a')).toBe(colorStyle.bold('a'));
});

test('the themes light and dark do not depend on the background', () => {
  const style = themedStyle('light', colorStyle, { ...unknown, background: 'dark' });
  expect(style.red('a')).toBe(lightRed);
  const few = themedStyle('dark', colorStyle, { background: undefined, hasMany: false });
  expect(few.red('a')).toBe('\u001B[91ma\u001B[39m');
  expect(few.dim('a')).toBe(colorStyle.dim('a'));
});

test('the themes mono and plain have no colours, and no theme adds some', () => {
  const { green, blue, magenta } = themedStyle('mono', colorStyle, unknown);
  expect([green('a'), blue('a'), magenta('a')]).toEqual(['a', 'a', colorStyle.bold('a')]);
  expect(themedStyle('plain', colorStyle, unknown)).toBe(plainStyle);
  expect(themedStyle('light', plainStyle, unknown)).toBe(plainStyle);
});

const many: TerminalColors = { background: 'dark', hasMany: true };

const paintsOf = (color: string, terminal: TerminalColors = many) =>
  createOwnPaints({ code: color }, terminal);

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
  const { heading } = createOwnPaints({ heading: 'red bold underline' }, many);
  const line = (text: string) =>
    `\u001B[31m\u001B[1m\u001B[4m${text}\u001B[24m\u001B[22m\u001B[39m`;
  expect(heading?.('a\nb')).toBe(`${line('a')}\n${line('b')}`);
});

test('the themes mono and plain, and no colour, have no own looks', () => {
  for (const theme of ['mono', 'plain'] as const) {
    expect(themedStyle(theme, colorStyle, many, paintsOf('red'))).toEqual(
      themedStyle(theme, colorStyle, many),
    );
  }
  expect(themedStyle('dark', plainStyle, many, paintsOf('red'))).toBe(plainStyle);
});

function renderOwn(source: string, parts: readonly string[]): string {
  const named = (part: string) => (text: string) => `<${part}:${text}>`;
  const own = Object.fromEntries(parts.map((part) => [part, named(part)]));
  return render(source, { style: themedStyle('dark', colorStyle, many, own), width: 12 });
}

test.each([
  ['heading', '# a', '<heading:a>\n'],
  ['heading', '#### a', '<heading:a>\n'],
  ['code', 'a `b`', 'a <code:b>\n'],
  ['link', '<https://a.example>', '<link:https://a.example>\n'],
  ['quote', '> a', '<quote:│> a\n'],
  ['rule', '---', '<rule:────────────>\n'],
  ['rule', '```\na\n```', '<rule:── 1 ───────>\na\n<rule:────────────>\n'],
])('an own look of %s replaces that of the theme in %j', (part, source, shown) => {
  expect(renderOwn(source, [part])).toBe(shown);
});

test('own looks of code blocks', () => {
  const shown = renderOwn('```ts\nconst a = "b"; // c\n```', ['keyword', 'string', 'comment']);
  for (const painted of ['<keyword:const>', '<string:"b">', '<comment:// c>']) {
    expect(shown).toContain(painted);
  }
});

test('code in a heading has both looks', () => {
  expect(renderOwn('# a `b`', ['heading', 'code'])).toBe('<heading:a ><heading:<code:b>>\n');
});
