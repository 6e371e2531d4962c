import { joinRanges, type Range } from './secret-filter.ts';

/** Follows a token of fixed length. */
const wordEnd = '(?![\\w-])';

/** The form of a provider's tokens, from its public documentation. @param name for people: `GitHub token` */
const shape = (name: string, pattern: string) => ({ name, pattern: new RegExp(pattern, 'g') });

/** The more specific ones come first. Repetitions have limits, so that none fills the stack. */
const shapes = [
  shape('AWS access key', `(?:AKIA|ASIA)[A-Z2-7]{16}${wordEnd}`),
  shape('Google API key', `AIza[\\w-]{35}${wordEnd}`),
  shape('Google OAuth secret', `GOCSPX-[\\w-]{28}${wordEnd}`),
  shape('Docker token', 'dckr_[po]at_[\\w-]{20,2000}'),
  shape('DigitalOcean token', `do[opr]_v1_[a-f0-9]{64}${wordEnd}`),
  shape('Databricks token', `dapi[a-f0-9]{32}(?:-\\d)?${wordEnd}`),
  shape('JSON Web Token', 'eyJ[\\w-]{14,2000}\\.eyJ[\\w-]{10,2000}\\.[\\w-]{16,2000}'),
  shape('GitHub token', 'gh[oprsu]_[A-Za-z0-9]{36,2000}|github_pat_\\w{36,2000}'),
  shape(
    'GitLab token',
    'gl(?:agent|cbt|dt|ffct|ft|imt|oas|pat|ptt|rt|rtr|soat)-[\\w-]{20,2000}(?:\\.[\\w.]{9,2000})?',
  ),
  shape('Groq key', `gsk_[A-Za-z0-9]{40,2000}${wordEnd}`),
  shape('Hugging Face token', `hf_[A-Za-z0-9]{34}${wordEnd}`),
  shape('Linear key', `lin_api_[A-Za-z0-9]{40}${wordEnd}`),
  shape('npm token', `npm_[A-Za-z0-9]{36}${wordEnd}`),
  shape('PyPI token', 'pypi-AgE[\\w-]{50,2000}'),
  shape('Anthropic key', 'sk-ant-[\\w-]{20,2000}'),
  shape('OpenAI key', 'sk-(?:admin|proj|svcacct)-[\\w-]{20,2000}'),
  shape('OpenRouter key', `sk-or-v1-[a-f0-9]{64}${wordEnd}`),
  shape('API key', `sk-[A-Za-z0-9]{32,2000}${wordEnd}`),
  shape('Stripe key', `[rs]k_(?:live|test)_[A-Za-z0-9]{16,2000}${wordEnd}`),
  shape('Shopify token', `shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}${wordEnd}`),
  shape('Stripe webhook secret', `whsec_[A-Za-z0-9]{32,2000}${wordEnd}`),
  shape('Slack token', 'xox[abeoprs]-(?=[\\w-]{0,40}\\d)[\\w-]{16,2000}|xapp-\\d-[\\w-]{16,2000}'),
  shape('xAI key', `xai-[A-Za-z0-9]{60,2000}${wordEnd}`),
  shape('SendGrid key', `SG\\.[\\w-]{22}\\.[\\w-]{43}${wordEnd}`),
  shape('Vault token', 'hv[bs]\\.[\\w-]{24,2000}'),
];

/** What is before a word: not a character of tokens, except in an escape such as \n in JSON. */
const beforeWord = /(?:^|[^\w-]|\\[nrt])$/;

/** Documents show such tokens. */
const example = /EXAMPLE|x{6}|(.)\1{7}/i;

const isToken = ({ index, input, 0: token }: RegExpExecArray): boolean =>
  beforeWord.test(input.slice(Math.max(0, index - 2), index)) && !example.test(token);

/** A secret in a text, or what looks like one. */
export interface FoundSecret extends Range {
  /** The name that people read, as in `a GitHub token`. */
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

/** Whether a value is what source code usually has: names, calls, paths, versions, hashes of files. */
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

/** Whether a value is a password that a program made, or a good one of a person; words and names are not. */
function isRandom(value: string): boolean {
  if (placeholders.test(value) || notSecret.test(value) || isCode(value)) return false;
  if (!/\d/.test(value) || !/[a-z]/i.test(value)) return false;
  return entropyOf(value) >= (value.length < 16 ? 3 : 3.5);
}

/** Values without quotes end a line, as in settings files; in source code they are expressions. */
const isPassword = ({ groups: { quote = '', secret = '', next = '' } = {} }: RegExpExecArray) =>
  next === quote && isRandom(secret);

/**
 * Private keys in PEM, of OpenSSH and of PGP: up to the footer, or what looks like the key if there is none. The longest
 * key that RSA programs make has fewer characters than the limit.
 */
const privateKey =
  /-----BEGIN (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:(?:(?!-----)[^]){40,16384}-----END [^-\n]{1,60}-----|(?:[A-Za-z0-9+/=:,.\s]|-(?!----)|\\[nr]){40,16384})/g;

/** A header alone, as in source code that reads keys, is no key. */
const keyLine = /[A-Za-z0-9+/=]{40}/;

/** The more certain kinds come first. A secret is the group `secret` of a match, else all of it. */
const kinds: readonly {
  readonly kind: string;
  readonly pattern: RegExp;
  readonly isSecret: (match: RegExpExecArray) => boolean;
}[] = [
  { kind: 'private key', pattern: privateKey, isSecret: ([key]) => keyLine.test(key) },
  ...shapes.map(({ name, pattern }) => ({ kind: name, pattern, isSecret: isToken })),
  { kind: 'password in a URL', pattern: userInfo, isSecret: isPassword },
  { kind: 'password or key', pattern: assignment, isSecret: isPassword },
];

function* findKinds(text: string): Generator<FoundSecret, void> {
  for (const { kind, pattern, isSecret } of kinds) {
    if (pattern === assignment && !anyWord.test(text)) continue;
    for (const match of text.matchAll(pattern)) {
      const { index, indices, 0: all } = match;
      const [start, end] = indices?.groups?.['secret'] ?? [index, index + all.length];
      if (isSecret(match)) yield { kind, start, end };
    }
  }
}

/**
 * Finds the secrets in a text in their order, without overlaps, in linear time.
 * @param findOwn finds natter's own secrets
 */
export function findSecrets(
  text: string,
  findOwn: (text: string) => readonly Range[] = () => [],
): readonly FoundSecret[] {
  const own = findOwn(text).map((range) => ({ ...range, kind: "natter's key" }));
  return joinRanges([...own, ...findKinds(text)]);
}
