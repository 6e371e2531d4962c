import { sanitize } from '../safety/sanitizer.ts';

/** The named character references people and models write; the standard has 2,231, most never seen in prose. */
const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00A0',
  copy: '©',
  reg: '®',
  trade: '™',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  bull: '•',
  middot: '·',
  deg: '°',
  plusmn: '±',
  times: '×',
  divide: '÷',
  frac12: '½',
  frac14: '¼',
  frac34: '¾',
  ne: '≠',
  le: '≤',
  ge: '≥',
  asymp: '≈',
  infin: '∞',
  larr: '←',
  uarr: '↑',
  rarr: '→',
  darr: '↓',
  harr: '↔',
  rArr: '⇒',
  sect: '§',
  para: '¶',
  euro: '€',
  pound: '£',
  yen: '¥',
  cent: '¢',
  alpha: 'α',
  beta: 'β',
  gamma: 'γ',
  delta: 'δ',
  lambda: 'λ',
  mu: 'μ',
  pi: 'π',
  sigma: 'σ',
  omega: 'ω',
  sum: '∑',
  radic: '√',
  check: '✓',
};

const reference = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z][a-zA-Z\d]{1,31}));/g;

/**
 * Character references as their characters. One that would give a control or hidden character stays as it is
 * written: `&#27;` must not bring back what the sanitizer took out.
 */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(reference, (written, decimal, hexadecimal, name: string | undefined) => {
    if (name !== undefined)
      return (Object.hasOwn(named, name) ? named[name] : undefined) ?? written;
    const code = decimal === undefined ? parseInt(hexadecimal, 16) : Number(decimal);
    if (code > 0x10ffff || code < 0x20) return written;
    const character = String.fromCodePoint(code);
    return sanitize(character) === character ? character : written;
  });
}
