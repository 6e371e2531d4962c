import type { Remedy } from '../../failure.ts';
import { isJsonObject } from '../../json.ts';
import { RequestFailure } from './request-failure.ts';
import type { Route } from '../http/route.ts';

interface CertificateProblem {
  /** Follows "the TLS certificate of <host>". */
  readonly problem: string;
  readonly remedy: Remedy;
}

const unknownAuthority: CertificateProblem = {
  problem: 'is signed by an authority unknown to this machine',
  remedy: { code: 'trust-authority' },
};
const selfSigned: CertificateProblem = {
  problem: 'is self-signed',
  remedy: { code: 'trust-certificate' },
};

const certificateProblems: ReadonlyMap<string, CertificateProblem> = new Map([
  ['CERT_HAS_EXPIRED', { problem: 'has expired', remedy: { code: 'check-clock' } }],
  ['CERT_NOT_YET_VALID', { problem: 'is not valid yet', remedy: { code: 'check-clock' } }],
  ['CERT_REVOKED', { problem: 'was revoked', remedy: { code: 'replace-certificate' } }],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', selfSigned],
  ['SELF_SIGNED_CERT_IN_CHAIN', unknownAuthority],
  ['UNABLE_TO_GET_ISSUER_CERT', unknownAuthority],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', unknownAuthority],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', unknownAuthority],
]);

const mostNames = 5;

/** The names in a certificate that lacks the host's; a few of what may be hundreds. */
function otherNames(error: unknown): string {
  const cert = isJsonObject(error) ? error['cert'] : undefined;
  const names = isJsonObject(cert) ? cert['subjectaltname'] : undefined;
  if (typeof names !== 'string' || names === '') return 'for another name';
  const list = names.split(', ').map((name) => name.replace(/^(?:DNS|IP Address):/, ''));
  const rest = list.length > mostNames ? ` and ${list.length - mostNames} more` : '';
  return `for ${list.slice(0, mostNames).join(', ')}${rest}`;
}

function problemOf(error: unknown, code: string, hostname: string): CertificateProblem {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID' || code === 'HOSTNAME_MISMATCH') {
    return {
      problem: `is ${otherNames(error)}, not for ${hostname}`,
      remedy: { code: 'check-host' },
    };
  }
  return (
    certificateProblems.get(code) ?? {
      problem: 'is not trusted',
      remedy: { code: 'trust-authority' },
    }
  );
}

/** `code` is that of Node's error. */
export function certificateFailure(error: unknown, code: string, route: Route): RequestFailure {
  const { target } = route;
  const { problem, remedy } = problemOf(error, code, target.replace(/:\d+$/, ''));
  return new RequestFailure(
    'unreachable',
    `the TLS certificate of ${target} ${problem} (${code})`,
    { transient: false, cause: error, remedy },
  );
}
