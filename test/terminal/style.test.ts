import { describe, expect, test } from 'vitest';
import { createChalkStyle } from '../../src/terminal/chalk-style.ts';
import { colorLevel, type ColorOption, type Look, plainStyle } from '../../src/terminal/style.ts';

describe('colorLevel', () => {
  test.each<[string, boolean, ColorOption | undefined, Record<string, string>, 'none' | 'ansi16']>([
    ['a terminal gets colour', true, undefined, {}, 'ansi16'],
    ['T19 a pipe gets none', false, undefined, {}, 'none'],
    ['auto asks the stream', false, 'auto', {}, 'none'],
    ['T19 TERM=dumb gets none', true, undefined, { TERM: 'dumb' }, 'none'],
    ['T19 NO_COLOR gets none', true, undefined, { NO_COLOR: '1' }, 'none'],
    ['an empty NO_COLOR says nothing', true, undefined, { NO_COLOR: '' }, 'ansi16'],
    ['NO_COLOR beats FORCE_COLOR', true, undefined, { NO_COLOR: '1', FORCE_COLOR: '1' }, 'none'],
    ['--color=always beats NO_COLOR', false, 'always', { NO_COLOR: '1' }, 'ansi16'],
    ['--color=never beats FORCE_COLOR', true, 'never', { FORCE_COLOR: '1' }, 'none'],
    ['FORCE_COLOR colours a pipe', false, undefined, { FORCE_COLOR: '1' }, 'ansi16'],
    ['CLICOLOR_FORCE colours a pipe', false, undefined, { CLICOLOR_FORCE: '1' }, 'ansi16'],
    ['FORCE_COLOR beats TERM=dumb', true, undefined, { FORCE_COLOR: '3', TERM: 'dumb' }, 'ansi16'],
    ['FORCE_COLOR=0 forces nothing', false, undefined, { FORCE_COLOR: '0' }, 'none'],
    ['CLICOLOR_FORCE=0 forces nothing', false, undefined, { CLICOLOR_FORCE: '0' }, 'none'],
  ])('%s', (_name, isTerminal, option, environment, level) => {
    expect(colorLevel({ isTerminal, option, environment })).toBe(level);
  });
});

const looks: Look[] = [
  'bold',
  'dim',
  'italic',
  'underline',
  'strike',
  'red',
  'green',
  'yellow',
  'blue',
  'magenta',
  'cyan',
];

describe('createChalkStyle', () => {
  test.each(looks)('T19 %s changes nothing when colour is off', (look) => {
    expect(plainStyle[look]('text')).toBe('text');
  });

  test.each(looks)('%s opens one of the 16 colours or an attribute, and closes it', (look) => {
    const painted = createChalkStyle()[look]('text');
    expect(painted).toMatch(/^\u001B\[(?:[12349]|3[1-6])mtext\u001B\[(?:2[2349]|39)m$/);
  });

  test('T14 closes its codes before each line end', () => {
    expect(createChalkStyle().red('a\n\nb')).toBe('\u001B[31ma\u001B[39m\n\n\u001B[31mb\u001B[39m');
  });

  test('opens again after an inner look that ends with the same code', () => {
    const style = createChalkStyle();
    expect(style.bold(`a${style.dim('b')}c`)).toBe(
      '\u001B[1ma\u001B[2mb\u001B[22m\u001B[1mc\u001B[22m',
    );
  });

  test('adds nothing to an empty text', () => {
    expect(createChalkStyle().bold('')).toBe('');
  });
});
