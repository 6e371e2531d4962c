import { createSecretFilter } from '../client/secret-filter.ts';
import type { Environment } from '../environment.ts';

/** The secrets of a run, which nothing but a request may show. */
export interface Secrets {
  keep(secret: string): void;
  /** The text with every secret kept so far masked, in whatever form it was written. */
  mask(text: string): string;
}

const proxyVariables = ['http_proxy', 'https_proxy', 'all_proxy'];

/** Passwords in the addresses of proxies, as they stand and decoded. */
function proxyPasswords(environment: Environment): readonly string[] {
  return proxyVariables
    .flatMap((name) => [environment[name], environment[name.toUpperCase()]])
    .flatMap((address) => {
      const password = /^(?:[^/]*\/\/)?[^:/]*:(.+)@/.exec(address ?? '')?.[1];
      if (password === undefined) return [];
      try {
        return [password, decodeURIComponent(password)];
      } catch {
        // Not percent-encoded, so it has one form only.
        return [password];
      }
    });
}

/** Knows the secrets of the environment from the start. */
export function createSecrets(environment: Environment): Secrets {
  const secrets = [environment['NATTER_API_KEY'], ...proxyPasswords(environment)];
  let filter: ((text: string) => string) | undefined;
  return {
    keep(secret) {
      secrets.push(secret);
      filter = undefined;
    },
    mask(text) {
      // Most runs report nothing, and making the filter takes time.
      filter ??= createSecretFilter(secrets);
      return filter(text);
    },
  };
}
