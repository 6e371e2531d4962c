import type { Resolved } from './resolved-settings.ts';
import { badValue, nameCheck, profileOrigin, type ValueOrigin } from './setting-value.ts';

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

const hues = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;

/** The 16 colours of terminals. */
export const colorNames: readonly string[] = [...hues, ...hues.map((hue) => `bright-${hue}`)];

const attributes = ['bold', 'italic', 'underline'] as const;

export interface OwnColor {
  /** One of {@link colorNames}, `#rrggbb`, or `default`, that of the terminal's text. */
  readonly color: string;
  readonly attributes: readonly (typeof attributes)[number][];
}

const isColor = (word: string) =>
  word === 'default' || colorNames.includes(word) || /^#[\da-f]{6}$/.test(word);

function readOwnColor(text: string): OwnColor | undefined {
  const words = text.trim().toLowerCase().split(/\s+/);
  const [color = 'default', ...otherColors] = words.filter(isColor);
  const chosen = attributes.filter((attribute) => words.includes(attribute));
  const isWhole = otherColors.length === 0 && new Set(words).size === words.length;
  const known = words.filter((word) => isColor(word) || attributes.some((one) => one === word));
  return isWhole && known.length === words.length ? { color, attributes: chosen } : undefined;
}

/** Reads a colour with attributes. @throws Failure with the origin and the expected form */
export function parseOwnColor(raw: unknown, origin: ValueOrigin): OwnColor {
  const parsed = typeof raw === 'string' ? readOwnColor(raw) : undefined;
  if (parsed !== undefined) return parsed;
  throw badValue(
    origin,
    'a colour such as red, bright-blue, #5fafd7 or default, with bold, italic or underline if wanted, as in "red bold"',
  );
}

/** Writes the value for the settings file. */
export function storedColor({ color, attributes: chosen }: OwnColor): string {
  return [color, ...chosen].join(' ');
}

type ColoredPart = (typeof coloredParts)[number]['name'];
const partNames = coloredParts.map(({ name }) => name);

/** Checks the name of a part of an answer. */
export const checkColoredPart = nameCheck('colour', new RegExp(`^(?:${partNames.join('|')})$`), {
  problem: 'is not a part of an answer with a colour',
  hint: `the parts are ${partNames.join(', ')}`,
});

/**
 * Reads the colours of the parts.
 * @param colors the setting `colors.<part>`
 * @throws Failure `configuration` for an unknown part or a bad value
 */
export function ownColors(colors: Readonly<Record<string, Resolved<unknown>>>) {
  return new Map(
    Object.entries(colors).map(([name, { value, source }]) => {
      const part = checkColoredPart(name, 'configuration', ` in profile ${source.name}`);
      return [
        part as ColoredPart,
        parseOwnColor(value, profileOrigin(`colors.${name}`, source.name)),
      ] as const;
    }),
  );
}
