// Hints that name the profile and the address of the command line that failed.
import { rephrase } from '../../client/failure/request-failure.ts';
import { completeAddress } from '../../address.ts';
import { type Environment, isSet } from '../../environment.ts';
import type { Failure, Remedy } from '../../failure.ts';

/** Commands of a hint that read or change the profile in use; the value of a setting can be a quoted one with spaces. */
const profileCommands =
  /natter (?:auth (?:login|status)|models list|config unset [^\s;,)]+|config set [^\s;,)]+ (?:"[^"]*"|'[^']*'|[^\s;,)]+))/g;

/** A hint whose commands name the profile that failed, so that they do not change a different one. */
export function nameProfile(hint: string, profile: string | undefined): string {
  if (hint.includes('--profile')) return hint;
  if (profile === undefined || !/^[\w.-]+$/.test(profile)) return hint;
  return hint.replace(profileCommands, `$& --profile ${profile}`);
}

/** A base URL that `--base-url` or a variable sets, so that no command shows or changes it. */
export interface GivenAddress {
  readonly url: string;
  /** `--base-url` or `NATTER_BASE_URL`. */
  readonly source: string;
}

export function givenAddress(
  flag: string | undefined,
  environment: Environment,
): GivenAddress | undefined {
  if (flag !== undefined) return { url: flag, source: '--base-url' };
  const source = 'NATTER_BASE_URL';
  return isSet(environment, source) ? { url: environment[source] ?? '', source } : undefined;
}

function addressHint(remedy: Remedy, source: string): string | undefined {
  if (remedy.code === 'check-connection') {
    return `check the network and the base URL, which is from ${source}`;
  }
  if (remedy.code === 'check-host')
    return `check the host of the base URL, which is from ${source}`;
  if (remedy.code !== 'start-server') return undefined;
  return `is the server on port ${remedy.port} running? start it, or correct the base URL, which is from ${source}`;
}

/** Empty for a malformed address. */
function hostOf({ url }: GivenAddress): string {
  const address = completeAddress(url.trim());
  return URL.canParse(address) ? new URL(address).hostname : '';
}

/** With a hint for the given address if that cannot be reached; a proxy or the service of a fallback has a different host. */
export function withAddress(failure: Failure, address: GivenAddress | undefined): Failure {
  const { remedy, message } = failure;
  if (address === undefined || remedy === undefined) return failure;
  const host = hostOf(address);
  if (host === '' || !message.includes(host)) return failure;
  const hint = addressHint(remedy, address.source);
  return hint === undefined ? failure : rephrase(failure, { hint });
}
