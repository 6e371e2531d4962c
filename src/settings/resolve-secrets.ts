import type { Environment } from '../environment.ts';
import { parseApiKey } from './api-key.ts';
import { isSecretHeader } from '../secrecy/secret-parts.ts';
import type { Resolved, WithheldSecret } from './resolved-settings.ts';
import { ownEntry, type StoredSettings } from './stored-settings.ts';

/** The base URL in force, and the stored secrets that may be sent to it. */
export interface SecretRequest {
  readonly profile: string;
  readonly environment: Environment;
  readonly stored: StoredSettings;
  readonly baseUrl: string | undefined;
}

export interface ResolvedKey {
  readonly apiKey?: Resolved<string>;
  readonly withheld?: WithheldSecret;
}

/**
 * The key to send: `NATTER_API_KEY` to any base URL, the stored one only to the origin it was saved for, so
 * that no flag or variable can send it elsewhere.
 * @throws Failure `configuration` for a key not allowed in a header
 */
export function resolveApiKey(request: SecretRequest): ResolvedKey {
  const { profile, environment, stored, baseUrl } = request;
  const variable = environment['NATTER_API_KEY'];
  if (variable !== undefined && variable !== '') {
    const value = parseApiKey(variable, 'NATTER_API_KEY', 'configuration');
    return { apiKey: { value, source: { kind: 'environment', name: 'NATTER_API_KEY' } } };
  }
  const credential = ownEntry(stored.credentials.profiles, profile);
  if (credential === undefined || baseUrl === undefined) return {};
  const belongsTo = new URL(credential.baseUrl).origin;
  const requested = new URL(baseUrl).origin;
  if (belongsTo !== requested) {
    return { withheld: { what: 'API key', profile, belongsTo, requested } };
  }
  const label = `the stored key of profile ${profile}`;
  const value = parseApiKey(credential.apiKey, label, 'configuration');
  return { apiKey: { value, source: { kind: 'profile', name: profile } } };
}

/** The secret headers of a profile that are not sent to the base URL in force, because its origin differs. */
export function withheldHeaders(
  headers: readonly string[],
  profile: string,
  ownBaseUrl: string | undefined,
  baseUrl: string | undefined,
): readonly WithheldSecret[] {
  if (baseUrl === undefined) return [];
  const requested = new URL(baseUrl).origin;
  const belongsTo = ownBaseUrl === undefined ? 'no base URL' : new URL(ownBaseUrl).origin;
  if (belongsTo === requested) return [];
  return headers
    .filter(isSecretHeader)
    .map((name) => ({ what: `header ${name}`, profile, belongsTo, requested }));
}
