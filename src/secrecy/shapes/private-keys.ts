import type { Range } from '../secret-filter.ts';

const header = /-----BEGIN (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g;

/** Characters; the longest key that RSA programs make has fewer. */
const maxBody = 16_384;

/** A header alone, as in source code that reads keys, is no key. */
const keyLine = /[A-Za-z0-9+/=]{40}/;

/** From the header to the end of the footer, or of what looks like the key if there is no footer. */
function rangeOf(text: string, start: number, bodyStart: number): Range | undefined {
  const rest = text.slice(bodyStart, bodyStart + maxBody);
  const footer = rest.indexOf('-----');
  const body = footer === -1 ? rest : rest.slice(0, footer);
  if (!keyLine.test(body)) return undefined;
  const isEnded = footer !== -1 && rest.startsWith('-----END ', footer);
  const close = isEnded ? rest.indexOf('-----', footer + 5) : -1;
  if (close !== -1) return { start, end: bodyStart + close + 5 };
  const [key = ''] = /^(?:[A-Za-z0-9+/=:,.\-\s]|\\[nr])*/.exec(body) ?? [];
  return { start, end: bodyStart + key.length };
}

/** Private keys in PEM, of OpenSSH and of PGP. */
export function* findPrivateKeys(text: string): Generator<Range, void> {
  if (!text.includes('PRIVATE KEY')) return;
  for (const found of text.matchAll(header)) {
    const range = rangeOf(text, found.index, found.index + found[0].length);
    if (range !== undefined) yield range;
  }
}
