import type { Range } from '../secret-filter.ts';
import { findTokens } from './token-shapes.ts';

/** A secret in a text, or what looks like one. */
export interface FoundSecret extends Range {
  /** For people, as in `a GitHub token`. */
  readonly kind: string;
}

const words =
  'pass(?:word|wd|phrase)?|pwd|secret|token|credentials?|authorization|(?:api|access|account|auth|encryption|master|private|secret|signing)[-_ ]?key';

/** `password = …`, `"api_key": "…"`, `Authorization: Bearer …`. All repetitions have a limit. */
const assignment = new RegExp(
  `(?:${words})[\\w-]{0,20}["'\`\\]]{0,2}[^\\S\\n]{0,3}(?::=|=>|[:=])[^\\S\\n]{0,3}(?:(?:Bearer|Basic|Token)[^\\S\\n]{1,3})?(?<quote>["'\`]?)(?<secret>[^\\s"'\`,;<>(){}[\\]\\\\]{10,200})(?<next>["'\`(\\[{.\\\\]?)`,
  'gid',
);

/** Most lines have none, and this is faster than to match all. */
const anyWord = /pass|pwd|secret|token|credential|authorization|key/i;

/** `scheme://user:password@host`. */
const userInfo = /:\/\/[^\s:@/"'`<>]{1,64}:(?<secret>[^\s:@/"'`<>{}$*]{8,128})@[\w[.-]/dg;

const placeholders =
  /12345678|example|sample|placeholder|change-?_?me|dummy|fake|foobar|your|redacted|secret|passw|xxx|\*\*\*|\.\.\.|(.)\1{4}/i;

/** What a value in source code usually is: names, calls, paths, versions, hashes of files. */
const isCode = (value: string) =>
  /^[-\w.:/?!|&$]*[a-z](?:-?\d{1,2})?$/i.test(value) && !/^\D*\d[^a-z]*[a-z].*\d/i.test(value);

const notSecret = /^(?:\/|\.{1,2}\/|~|https?:|sha\d{3}-|\d{4}-\d\d-\d\d|v?\d+\.\d+|0x|#|\$|%|@)/i;

/** Shannon entropy, bits for each character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values())
    bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** A password that a program made, or a good one of a person; words and names are not. */
function isRandom(value: string): boolean {
  if (placeholders.test(value) || notSecret.test(value) || isCode(value)) return false;
  if (!/\d/.test(value) || !/[a-z]/i.test(value)) return false;
  return entropyOf(value) >= (value.length < 16 ? 3 : 3.5);
}

/** Values without quotes end a line, as in settings files; in source code they are expressions. */
const isWhole = (quote: string, next: string) => (quote === '' ? next === '' : next === quote);

function* findAssignments(text: string): Generator<Range, void> {
  if (!anyWord.test(text)) return;
  for (const found of text.matchAll(assignment)) {
    const { quote = '', secret = '', next = '' } = found.groups ?? {};
    const [start = 0, end = 0] = found.indices?.groups?.['secret'] ?? [];
    if (!isWhole(quote, next) || !isRandom(secret)) continue;
    yield { start, end };
  }
}

function* findUserInfo(text: string): Generator<Range, void> {
  if (!text.includes('://')) return;
  for (const found of text.matchAll(userInfo)) {
    const [start = 0, end = 0] = found.indices?.groups?.['secret'] ?? [];
    if (isRandom(found.groups?.['secret'] ?? '')) yield { start, end };
  }
}

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
function* findPrivateKeys(text: string): Generator<Range, void> {
  if (!text.includes('PRIVATE KEY')) return;
  for (const found of text.matchAll(header)) {
    const range = rangeOf(text, found.index, found.index + found[0].length);
    if (range !== undefined) yield range;
  }
}

const ownKey = "natter's key";

/** Documents show such tokens. */
const isExample = (token: string) => /EXAMPLE|x{6}|(.)\1{7}/i.test(token);

function* findAll(
  text: string,
  findOwn: (text: string) => readonly Range[],
): Generator<FoundSecret, void> {
  for (const range of findOwn(text)) yield { kind: ownKey, ...range };
  for (const range of findPrivateKeys(text)) yield { kind: 'private key', ...range };
  for (const { name, start, end } of findTokens(text)) {
    if (!isExample(text.slice(start, end))) yield { kind: name, start, end };
  }
  for (const range of findUserInfo(text)) yield { ...range, kind: 'password in a URL' };
  for (const range of findAssignments(text)) yield { ...range, kind: 'password or key' };
}

/**
 * The secrets in a text in their order, without overlaps, in linear time.
 * @param findOwn finds natter's own secrets
 */
export function findSecrets(
  text: string,
  findOwn: (text: string) => readonly Range[] = () => [],
): readonly FoundSecret[] {
  const all = [...findAll(text, findOwn)];
  // The sort is stable, so the more certain kind wins.
  const ordered = all.toSorted((one, other) => one.start - other.start);
  const kept: FoundSecret[] = [];
  for (const found of ordered) {
    const last = kept.at(-1);
    if (last === undefined || last.end <= found.start) kept.push(found);
    else if (last.end < found.end) kept[kept.length - 1] = { ...last, end: found.end };
  }
  return kept;
}
