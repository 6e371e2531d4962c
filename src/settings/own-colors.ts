import { badValue, type ValueOrigin } from './setting-value.ts';

/** The parts of an answer whose colour is a setting, `colors.<part>`. */
export const coloredParts = [
  { name: 'heading', summary: 'headings' },
  { name: 'code', summary: 'code within text' },
  { name: 'link', summary: 'labels of links' },
  { name: 'quote', summary: 'bars of quotations' },
  { name: 'rule', summary: 'rules, also those of code blocks' },
  { name: 'keyword', summary: 'keywords in code blocks' },
  { name: 'string', summary: 'strings in code blocks' },
  { name: 'comment', summary: 'comments in code blocks' },
] as const;

const hues = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

/** The 16 colours of terminals, and `default`, that of the terminal's text. */
export const colorNames = ['default', ...hues, ...hues.map((hue) => `bright-${hue}`)];

/**
 * Reads a colour with attributes.
 * @returns the value for the settings file, in one spelling: `#5fafd7 bold`
 * @throws Failure with the origin and the expected form
 */
export function parseOwnColor(raw: unknown, origin: ValueOrigin): string {
  const words = typeof raw === 'string' ? raw.trim().toLowerCase().split(/\s+/) : [];
  const colors = words.filter((word) => colorNames.includes(word) || /^#[\da-f]{6}$/.test(word));
  const attributes = ['bold', 'italic', 'underline'].filter((one) => words.includes(one));
  const known = colors.length + attributes.length;
  if (words.length > 0 && colors.length <= 1 && known === words.length) {
    return [colors[0] ?? 'default', ...attributes].join(' ');
  }
  throw badValue(
    origin,
    'a colour such as red, bright-blue, #5fafd7 or default, with bold, italic or underline if wanted, as in "red bold"',
  );
}
