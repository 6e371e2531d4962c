import { isJsonObject } from '../../json.ts';
import { RequestFailure } from './request-failure.ts';
import type { Route } from '../http/route.ts';

interface CertificateProblem {
  /** Follows "the TLS certificate of <host>". */
  readonly problem: string;
  readonly hint: string;
}

const ownAuthority =
  'if an authority of your own signed it, set NODE_EXTRA_CA_CERTS to its certificate file';
const thisClock = "check this machine's clock; if it is right, the certificate has to be replaced";

const unknownAuthority: CertificateProblem = {
  problem: 'is signed by an authority that this machine does not know',
  hint: `${ownAuthority}; else the service has to send its whole chain`,
};
const selfSigned: CertificateProblem = {
  problem: 'is self-signed',
  hint: 'if you trust it, set NODE_EXTRA_CA_CERTS to its file',
};

const certificateProblems: ReadonlyMap<string, CertificateProblem> = new Map([
  ['CERT_HAS_EXPIRED', { problem: 'has expired', hint: thisClock }],
  ['CERT_NOT_YET_VALID', { problem: 'is not valid yet', hint: thisClock }],
  ['CERT_REVOKED', { problem: 'was revoked', hint: 'the certificate has to be replaced' }],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', selfSigned],
  ['SELF_SIGNED_CERT_IN_CHAIN', unknownAuthority],
  ['UNABLE_TO_GET_ISSUER_CERT', unknownAuthority],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', unknownAuthority],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', unknownAuthority],
]);

const mostNames = 5;

/** The names of a certificate that has others than the one asked for; few of what may be hundreds. */
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
      hint: 'check the host of the base URL: natter auth status',
    };
  }
  return certificateProblems.get(code) ?? { problem: 'is not trusted', hint: ownAuthority };
}

/** Which fault a certificate has, and what helps; `code` is that of Node's error. */
export function certificateFailure(error: unknown, code: string, route: Route): RequestFailure {
  const { target } = route;
  const { problem, hint } = problemOf(error, code, target.replace(/:\d+$/, ''));
  return new RequestFailure(
    'unreachable',
    `the TLS certificate of ${target} ${problem} (${code})`,
    { transient: false, cause: error, hint },
  );
}
