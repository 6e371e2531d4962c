import type { Environment } from '../../../environment.ts';
import { Failure, type FailureKind } from '../../../failure.ts';
import { maskUrl } from '../../../secrecy/mask.ts';
import type { Secrets } from '../../program/secrets.ts';

/** The address of a queue server. */
export interface QueueAddress {
  readonly host: string;
  readonly port: number;
  readonly database: number;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly isEncrypted: boolean;
  /** For messages: without user name and password. */
  readonly label: string;
}

export const queueVariable = 'NATTER_QUEUE';
const example = 'redis://localhost:6379';
const defaultPort = 6379;

interface Origin {
  readonly name: string;
  readonly kind: FailureKind;
}

function badAddress({ name, kind }: Origin, text: string): Failure {
  const message = `${name} must be an address such as ${example}/0 or rediss://host:6380, not "${maskUrl(text)}"`;
  return new Failure(kind, message, {
    hint: 'redis:// is plain, rediss:// encrypted; the path is the number of the database',
  });
}

const decoded = (text: string) => (text === '' ? undefined : decodeURIComponent(text));

/** @throws Failure of the origin's kind */
function parseAddress(text: string, origin: Origin): QueueAddress {
  if (!URL.canParse(text)) throw badAddress(origin, text);
  const url = new URL(text);
  const { protocol, hostname, port, pathname, search, hash } = url;
  const database = /^\/?(\d{0,5})$/.exec(pathname)?.[1];
  const isRedis = protocol === 'redis:' || protocol === 'rediss:';
  if (!isRedis || hostname === '' || database === undefined || search + hash !== '') {
    throw badAddress(origin, text);
  }
  const label = `${protocol}//${hostname}:${port || defaultPort}/${Number(database)}`;
  try {
    return {
      host: hostname.replaceAll(/^\[|\]$/g, ''),
      port: Number(port || defaultPort),
      database: Number(database),
      username: decoded(url.username),
      password: decoded(url.password),
      isEncrypted: protocol === 'rediss:',
      label,
    };
  } catch {
    // The user name or password has a percent sign that starts no escape.
    throw new Failure(origin.kind, `${origin.name} has a password with an invalid % escape`, {
      hint: 'write % as %25',
    });
  }
}

/** Arguments are visible to other users, so an option must not have a password. */
function refuseUserInfo(option: string): void {
  if (!option.includes('@')) return;
  throw new Failure(
    'usage',
    '--queue has a user name or password, which other users could read in the list of processes',
    { hint: `set ${queueVariable} to this address instead, and omit --queue` },
  );
}

/**
 * The address of `--queue`, else of NATTER_QUEUE, whose password is masked from now on.
 * @throws Failure `usage` or `configuration`
 */
export function queueAddress(
  option: string | undefined,
  { environment, secrets }: { readonly environment: Environment; readonly secrets: Secrets },
): QueueAddress {
  if (option !== undefined) {
    secrets.keep({ addresses: [option] });
    refuseUserInfo(option);
    return parseAddress(option, { name: '--queue', kind: 'usage' });
  }
  const value = environment[queueVariable]?.trim() ?? '';
  if (value === '') {
    throw new Failure('usage', 'no queue is named', {
      hint: `add --queue ${example}, or set ${queueVariable}`,
    });
  }
  secrets.keep({ addresses: [value] });
  return parseAddress(value, { name: queueVariable, kind: 'configuration' });
}
