import type { Range } from '../secret-filter.ts';

const words =
  'pass(?:word|wd|phrase)?|pwd|secret|token|credentials?|authorization|(?:api|access|account|auth|encryption|master|private|secret|signing)[-_ ]?key';

/** `password = …`, `"api_key": "…"`, `Authorization: Bearer …`. All repetitions have a limit. */
const assignment = new RegExp(
  `(?<name>${words})[\\w-]{0,20}["'\`\\]]{0,2}[^\\S\\n]{0,3}(?::=|=>|[:=])[^\\S\\n]{0,3}(?:(?:Bearer|Basic|Token)[^\\S\\n]{1,3})?(?<quote>["'\`]?)(?<secret>[^\\s"'\`,;<>(){}[\\]\\\\]{10,200})(?<next>["'\`(\\[{.\\\\]?)`,
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

export interface FoundAssignment extends Range {
  /** What the value is assigned to: `password`; undefined for a URL. */
  readonly name: string | undefined;
}

/** Values without quotes end a line, as in settings files; in source code they are expressions. */
const isWhole = (quote: string, next: string) => (quote === '' ? next === '' : next === quote);

export function* findAssignments(text: string): Generator<FoundAssignment, void> {
  if (!anyWord.test(text)) return;
  for (const found of text.matchAll(assignment)) {
    const { name = '', quote = '', secret = '', next = '' } = found.groups ?? {};
    const [start = 0, end = 0] = found.indices?.groups?.['secret'] ?? [];
    if (!isWhole(quote, next) || !isRandom(secret)) continue;
    yield { name, start, end };
  }
}

export function* findUserInfo(text: string): Generator<FoundAssignment, void> {
  if (!text.includes('://')) return;
  for (const found of text.matchAll(userInfo)) {
    const [start = 0, end = 0] = found.indices?.groups?.['secret'] ?? [];
    if (isRandom(found.groups?.['secret'] ?? '')) yield { name: undefined, start, end };
  }
}
