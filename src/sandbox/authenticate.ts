import { isLoopback } from '../address.ts';
import { Failure } from '../failure.ts';
import { type KeyTier, sandboxKeys } from './keys.ts';

const bearer = /^Bearer +(\S+) *$/i;

/** The token of an `Authorization: Bearer` header, known or not. */
export function bearerToken(header: string | undefined): string | undefined {
  return bearer.exec(header ?? '')?.[1];
}

/**
 * Finds the key a request comes with (contract, Authentication).
 * @throws Failure `unauthorized`
 */
export function authenticate(header: string | undefined): KeyTier {
  if (header === undefined) {
    throw new Failure('unauthorized', 'the Authorization header is missing');
  }
  const token = bearerToken(header);
  if (token === undefined) {
    throw new Failure('unauthorized', 'the Authorization header is not "Bearer <API_KEY>"');
  }
  const known = sandboxKeys.find(({ key }) => key === token);
  if (known === undefined) throw new Failure('unauthorized', 'the API key is not known');
  return known;
}

/** @throws Failure `forbidden` when the key's tier leaves out the model */
export function authorize(key: KeyTier, model: string): void {
  if (!key.models.includes(model)) {
    throw new Failure('forbidden', `the tier "${key.tier}" is not permitted to use "${model}"`);
  }
}

/**
 * Refuses a request that did not ask for this machine by a name of its own. Web pages can make their names lead to
 * 127.0.0.1, and the sandbox's keys are published: any page could use the sandbox, and the upstream behind it.
 * @param header the `Host` of the request
 * @throws Failure `forbidden`
 */
export function refuseForeignHost(header = ''): void {
  const host = header.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  if (isLoopback(host.toLowerCase())) return;
  throw new Failure('forbidden', 'the sandbox answers only clients of this machine', {
    hint: 'use the address the sandbox printed, or localhost',
  });
}
