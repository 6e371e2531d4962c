import { percentDecoded } from '../address.ts';
import type { Environment } from '../environment.ts';

/** Whether a header with this name usually has a secret. No other place decides it. */
export function isSecretHeader(name: string): boolean {
  return /auth|cookie|key|token|secret|password|signature/i.test(name);
}

/** Says why a key cannot be sent in an HTTP header, as the end of a sentence that does not show the key. */
export function keyProblem(key: string): string | undefined {
  if (key === '') return 'is empty';
  if (/^["'`]/.test(key)) return 'begins with a quote';
  if (/["'`]$/.test(key)) return 'ends with a quote';
  const position = key.search(/[^\x21-\x7e]/);
  if (position === -1) return undefined;
  if (/[\r\n]/.test(key)) return 'contains a line break';
  if (/^bearer\s/i.test(key)) return 'starts with the word Bearer, which natter adds itself';
  if (/\s/.test(key)) return 'contains a space';
  const code = key.codePointAt(position) ?? 0;
  const found = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return `contains a character that is not plain ASCII (${found} at position ${position + 1})`;
}

/** Everything that may contain secrets in a run. */
export interface SecretSources {
  readonly apiKey?: string | undefined;
  /** The headers by name; only secret ones are used. */
  readonly headers?: Readonly<Record<string, string>>;
  /** URLs, valid or not, which may have a user name and a password. */
  readonly addresses?: readonly (string | undefined)[];
  /** Has variables for keys, the base URL and proxies. */
  readonly environment?: Environment;
}

/** These parts are secret only by their position; a shorter one, such as `user` or `dark`, is an ordinary word. */
const minPartLength = 8;

const longParts = (parts: readonly string[]) =>
  parts.filter((part) => part.length >= minPartLength);

const bothForms = (text: string): readonly string[] => [text, percentDecoded(text)];

/** `user:password`, and both halves. */
function credentialParts(text: string): readonly string[] {
  const colon = text.indexOf(':');
  if (colon === -1) return longParts([text]);
  return [text, ...longParts([text.slice(0, colon)]), text.slice(colon + 1)];
}

/** The value of `name=value`, as in cookies and parameters; any other word unchanged. */
function valueOf(word: string): string {
  const value = /^[^=]+="?(?<value>[^"]*[^"=][^"]*)"?$/.exec(word)?.groups?.['value'];
  return value ?? word;
}

/** The whole value, the value after the scheme, decoded Basic credentials, and each word, cookie or parameter. */
function headerParts(value: string): readonly string[] {
  const { scheme = '', rest = '' } =
    /^(?<scheme>[^\s=,;]+)\s+(?<rest>.+)$/s.exec(value.trim())?.groups ?? {};
  const words = (rest || value).split(/[\s,;]+/).flatMap((word) => [word, valueOf(word)]);
  return [
    value,
    rest,
    // RFC 7617
    ...(/^basic$/i.test(scheme) ? credentialParts(Buffer.from(rest, 'base64').toString()) : []),
    ...longParts(words.flatMap(bothForms)),
  ];
}

/** In a valid URL, the authority ends at the first slash; in an invalid one, it may have any character. */
function addressParts(text: string): readonly string[] {
  if (!text.includes('@')) return [];
  const address = text.trim();
  const url = address.includes('://') ? address : `http://${address}`;
  const pattern = URL.canParse(url) ? /:\/\/([^/?#\\]*)@/ : /:\/\/(.*)@/s;
  const userInfo = pattern.exec(url)?.[1];
  return userInfo === undefined ? [] : bothForms(userInfo).flatMap(credentialParts);
}

const keyVariable = /^NATTER_(?:UPSTREAM_)?API_KEY$/i;
const addressVariable = /^(?:NATTER_BASE_URL|NATTER_QUEUE|(?:https?|all)_proxy)$/i;

/**
 * Lists the secrets in the sources. No other place decides what is a secret; the filter decides on the minimum length.
 */
export function secretsOf(sources: SecretSources): readonly string[] {
  const { apiKey, headers = {}, addresses = [], environment = {} } = sources;
  const secretHeaders = Object.entries(headers).filter(([name]) => isSecretHeader(name));
  const named = (pattern: RegExp) =>
    Object.keys(environment)
      .filter((name) => pattern.test(name))
      .map((name) => environment[name] ?? '');
  const parts = [
    apiKey ?? '',
    ...named(keyVariable),
    ...secretHeaders.flatMap(([, value]) => headerParts(value)),
    ...[...addresses, ...named(addressVariable)].flatMap((address) => addressParts(address ?? '')),
  ].map((part) => part.trim());
  return [...new Set(parts)].filter((part) => part !== '');
}
