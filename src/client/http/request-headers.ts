import type { ClientOptions } from '../client.ts';
import { hostAndPort } from './base-url.ts';
import { isLoopback } from './loopback.ts';
import type { RequestHeaders } from './transport.ts';
import { Failure } from '../../failure.ts';
import { isSecretHeader } from '../../secrecy/secret-header.ts';

/**
 * The key as it is sent: without surrounding white space.
 * @throws Failure `configuration` for a key that no header can carry; the key is not in the message.
 */
export function cleanKey(key: string): string {
  const trimmed = key.trim();
  const hint = 'enter it again: natter auth login';
  if (trimmed === '') throw new Failure('configuration', 'the API key is empty', { hint });
  const position = trimmed.search(/[^\x21-\x7e]/);
  if (position !== -1) {
    const code = trimmed.codePointAt(position) ?? 0;
    const found = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
    throw new Failure(
      'configuration',
      `the API key holds a character that no key has (${found} at position ${position + 1})`,
      { hint },
    );
  }
  return trimmed;
}

/**
 * What every request carries; the user's own headers replace natter's of the same name.
 * @throws Failure `configuration` for a header that HTTP cannot carry; its value is not in the message.
 */
export function requestHeaders(
  options: Pick<ClientOptions, 'apiKey' | 'headers' | 'userAgent'>,
): RequestHeaders {
  const headers: Record<string, string> = {
    'user-agent': options.userAgent,
    // A compressed stream arrives in larger, later pieces.
    'accept-encoding': 'identity',
  };
  if (options.apiKey !== undefined) headers['authorization'] = `Bearer ${cleanKey(options.apiKey)}`;
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    checkHeader(name, value);
    headers[name.toLowerCase()] = value;
  }
  return headers;
}

function checkHeader(name: string, value: string): void {
  // RFC 9110, sections 5.1 and 5.5.
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) {
    throw new Failure('configuration', `"${name}" is not a name for a header`);
  }
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) {
    throw new Failure('configuration', `the header ${name} has a value that HTTP cannot carry`);
  }
}

/**
 * Refuses to send a credential where anyone on the way can read it.
 * @throws Failure `configuration`
 */
export function checkSecrecy(baseUrl: URL, headers: RequestHeaders, allowInsecure: boolean): void {
  if (allowInsecure || baseUrl.protocol === 'https:' || isLoopback(baseUrl.hostname)) return;
  const name = Object.keys(headers).find(isSecretHeader);
  if (name === undefined) return;
  const what = name === 'authorization' ? 'the key' : `the header ${name}`;
  throw new Failure(
    'configuration',
    `${what} would travel unencrypted to ${hostAndPort(baseUrl)} over plain http`,
    { hint: 'use an https base URL, or allow it with --allow-insecure' },
  );
}
