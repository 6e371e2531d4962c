import type { ClientOptions } from '../client.ts';
import { hostAndPort } from './base-url.ts';
import type { RequestHeaders } from './transport.ts';
import { Failure } from '../../failure.ts';
import { isLoopbackName } from '../../address.ts';
import { isSecretHeader, keyProblem } from '../../secrets/secret-parts.ts';

/**
 * Makes the headers of every request; the user's headers replace natter's of the same name.
 * @throws Failure `configuration` for an invalid key or header; the message does not contain it
 */
export function requestHeaders(
  options: Pick<ClientOptions, 'apiKey' | 'baseUrl' | 'headers' | 'userAgent'>,
): RequestHeaders {
  const headers: Record<string, string> = {
    'user-agent': options.userAgent,
    // Compression delays a stream.
    'accept-encoding': 'identity',
  };
  if (options.apiKey !== undefined) {
    const key = options.apiKey.trim();
    const problem = keyProblem(key);
    if (problem !== undefined) {
      const remedy = { code: 'enter-key-again' } as const;
      throw new Failure('configuration', `the API key ${problem}`, { remedy });
    }
    // Azure's API with an `api-version` takes keys in a header of their own, and tokens of Entra (JWTs) as others do.
    const isAzureKey = /[?&]api-version=/.test(options.baseUrl) && !/^eyJ[\w-]+\./.test(key);
    if (isAzureKey) headers['api-key'] = key;
    else headers['authorization'] = `Bearer ${key}`;
  }
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    const refuse = (problem: string) => new Failure('configuration', problem);
    // RFC 9110, sections 5.1 and 5.5.
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) throw refuse(`"${name}" is not a valid header name`);
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) {
      const problem = 'contains characters not allowed in an HTTP header';
      throw refuse(`the value of the header ${name} ${problem}`);
    }
    headers[name.toLowerCase()] = value;
  }
  return headers;
}

/**
 * Refuses to send a secret unencrypted to a different host.
 * @throws Failure `configuration`
 */
export function requireEncryption(
  baseUrl: URL,
  headers: RequestHeaders,
  allowInsecure: boolean,
): void {
  const isSafe = baseUrl.protocol === 'https:' || isLoopbackName(baseUrl.hostname);
  const name = Object.keys(headers).find(isSecretHeader);
  if (name === undefined || allowInsecure || isSafe) return;
  const secret = name === 'authorization' ? 'the key' : `the header ${name}`;
  const problem = `${secret} would be sent unencrypted to ${hostAndPort(baseUrl)} over plain http`;
  throw new Failure('configuration', problem, { remedy: { code: 'use-https' } });
}
