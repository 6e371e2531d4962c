import type { Remedy } from '../../failure.ts';
import { isJsonObject } from '../../json.ts';
import type { Route } from '../http/route.ts';
import { RequestFailure } from './request-failure.ts';

interface CertificateProblem {
  /** Follows `the TLS certificate of <host>` in the message. */
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

const maxNames = 5;

/** The names in a certificate, which may be hundreds: only the first few. */
function namesOf(error: unknown): string {
  const cert = isJsonObject(error) ? error['cert'] : undefined;
  const names = isJsonObject(cert) ? cert['subjectaltname'] : undefined;
  if (typeof names !== 'string' || names === '') return 'for a different name';
  const list = names.split(', ').map((name) => name.replace(/^(?:DNS|IP Address):/, ''));
  const more = list.length > maxNames ? ` and ${list.length - maxNames} more` : '';
  return `for ${list.slice(0, maxNames).join(', ')}${more}`;
}

function certificateProblem(error: unknown, code: string, hostname: string): CertificateProblem {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID' || code === 'HOSTNAME_MISMATCH') {
    return {
      problem: `is ${namesOf(error)}, not for ${hostname}`,
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

/** `code` is the code of Node's error. */
export function certificateFailure(error: unknown, code: string, route: Route): RequestFailure {
  const { target } = route;
  const { problem, remedy } = certificateProblem(error, code, target.replace(/:\d+$/, ''));
  return new RequestFailure(
    'unreachable',
    `the TLS certificate of ${target} ${problem} (${code})`,
    { transient: false, cause: error, remedy },
  );
}
