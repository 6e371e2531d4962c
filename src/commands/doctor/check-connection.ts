// The way to the service: proxy, encryption and certificate.
import { readFileSync } from 'node:fs';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import { isLoopbackName } from '../../address.ts';
import { certificateFailure } from '../../client/failure/network-failure.ts';
import { parseBaseUrl } from '../../client/http/base-url.ts';
import { createConnector } from '../../client/http/connector.ts';
import { createRoute, proxyFor, type Route } from '../../client/http/route.ts';
import { isSet, type Environment } from '../../environment.ts';
import { isSecretHeader } from '../../secrets/secret-parts.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import { failureReason } from '../../storage/storage-failure.ts';
import { withHint } from '../../cli/report.ts';
import { asFailure, failed, note, ok, warning, type Examination, type Finding } from './finding.ts';

const proxyVariables = /^(?:https?|all)_proxy$/i;

/** @throws Failure `configuration` for an invalid proxy URL */
export function proxyFinding(url: URL, environment: Environment): Finding {
  const proxy = proxyFor(url, environment);
  if (proxy !== undefined) {
    const { protocol, host, username, password } = proxy.url;
    const login = username === '' && password === '' ? '' : ', with a user name and password';
    const text = `requests use the proxy ${protocol}//${host} of ${proxy.variable}${login}`;
    return note('proxy', text);
  }
  const isVariable = (name: string) => proxyVariables.test(name) && isSet(environment, name);
  let reason = 'no proxy variable is set';
  if (Object.keys(environment).some(isVariable))
    reason = 'the proxy variables do not apply to this host';
  if (isLoopbackName(url.hostname)) reason = 'loopback addresses never use one';
  return ok('proxy', `requests use no proxy: ${reason}`);
}

/** What is wrong with Node's variables for certificates. */
function* variableFindings(environment: Environment): Generator<Finding> {
  const check = 'variable';
  if (environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    const text = 'NODE_TLS_REJECT_UNAUTHORIZED is 0: certificates are not verified';
    const advice =
      'unset it, and set NODE_EXTRA_CA_CERTS to the certificate file of your authority';
    yield warning(check, text, advice);
  }
  const name = 'NODE_EXTRA_CA_CERTS';
  if (!isSet(environment, name)) return;
  const file = environment[name] ?? '';
  const advice = `correct ${name}: the path of a PEM file`;
  try {
    // Node ignores a file that has no certificate, or that it cannot read.
    if (readFileSync(file, 'latin1').includes('-----BEGIN CERTIFICATE-----')) return;
    yield warning(check, `${name}: ${file} has no certificate in PEM form`, advice);
  } catch (error) {
    yield warning(check, `${name}: cannot read ${file}: ${failureReason(error)}`, advice);
  }
}

/** Node has a list where a name has several values. */
function nameOf(name: Partial<PeerCertificate['subject']> | undefined): string {
  const values: unknown = name?.CN ?? name?.O ?? '';
  return Array.isArray(values) ? values.join(', ') : String(values);
}

/** A service may send more, or a chain that does not end. */
const maxChain = 10;

/** What a TLS handshake shows: the protocol, such as `TLSv1.3`, and the chain as the service sent it, its own first. */
function inspect(socket: TLSSocket) {
  const chain: { subject: string; issuer: string; validTo: Date }[] = [];
  let next: Partial<PeerCertificate> & { issuerCertificate?: PeerCertificate } =
    socket.getPeerCertificate(true);
  while (next.fingerprint256 !== undefined && chain.length < maxChain) {
    const validTo = new Date(next.valid_to ?? '');
    chain.push({ subject: nameOf(next.subject), issuer: nameOf(next.issuer), validTo });
    const issuer: typeof next = next.issuerCertificate ?? {};
    // The last certificate is its own issuer.
    next = issuer.fingerprint256 === next.fingerprint256 ? {} : issuer;
  }
  // Node's type is Error, its value a code such as CERT_HAS_EXPIRED.
  const error: unknown = socket.authorizationError;
  const problem = socket.authorized ? undefined : String(error);
  return { protocol: socket.getProtocol() ?? 'TLS', chain, problem };
}

/**
 * Opens a TLS connection as a request does, through the proxy of the route, and closes it without sending a request. An
 * untrusted certificate is not a failure.
 * @throws Failure without a connection; or the signal's reason when it aborts
 */
async function inspectCertificate(
  route: Route,
  { context: { clock, signal } }: Examination,
  timeout: number,
) {
  const connector = createConnector(route, clock, timeout, { rejectUnauthorized: false });
  const abort = () => connector.close();
  signal.throwIfAborted();
  signal.addEventListener('abort', abort);
  try {
    const socket = (await connector.open()) as TLSSocket;
    const inspection = inspect(socket);
    socket.destroy();
    return inspection;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

const companyHint =
  'if your company inspects TLS, set NODE_EXTRA_CA_CERTS to the certificate file of its authority, or NODE_OPTIONS=--use-system-ca with Node 22.15 or newer; for a public service, its operator must send the complete chain';

const day = 24 * 60 * 60 * 1000;
/** Days before its end at which a certificate should have been renewed. */
const renewal = 14;

/** @param now milliseconds since 1970 */
export function certificateFinding(
  { problem, chain, protocol }: ReturnType<typeof inspect>,
  route: Route,
  environment: Environment,
  now: number,
): Finding {
  const check = 'certificate';
  if (problem !== undefined) {
    const failure = withHint(certificateFailure({}, problem, route), environment);
    const names = [...chain.map(({ subject }) => subject), chain.at(-1)?.issuer ?? ''];
    const shown = names.filter((name) => name !== '').join(' < ');
    const advice = failure.remedy?.code === 'trust-authority' ? companyHint : failure.markedHint;
    const found = warning(check, `${failure.message}; the chain is ${shown}`, advice);
    // Requests succeed then, so that the check must not fail.
    const isIgnored = environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0';
    return isIgnored ? found : { ...found, outcome: 'failed', kind: failure.kind };
  }
  const [own] = chain;
  if (own === undefined) return note(check, `the connection is encrypted (${protocol})`);
  const days = Math.floor((own.validTo.getTime() - now) / day);
  const until = Number.isNaN(days) ? '' : `, valid for ${days} days`;
  const text = `the certificate of ${own.subject}, signed by ${own.issuer}, is trusted${until} (${protocol})`;
  if (!(days < renewal)) return ok(check, text);
  return warning(check, text, 'the service needs a new certificate soon');
}

/**
 * @returns whether requests can reach the service, as far as is known
 * @throws Failure `configuration` for an invalid base URL or proxy; or the reason of an abort
 */
export async function* checkConnection(
  examination: Examination,
  { values, headers }: ResolvedSettings,
): AsyncGenerator<Finding, boolean> {
  const { clock, environment, signal } = examination.context;
  const url = parseBaseUrl(values.baseUrl ?? '');
  yield proxyFinding(url, environment);
  if (url.protocol === 'http:') {
    const local = 'the connection is plain http, and does not leave this machine';
    const sent = Object.keys(headers).some(isSecretHeader) ? 'prompts and headers' : 'prompts';
    const text = `${sent} are sent unencrypted: the base URL is plain http`;
    const advice = 'use an https base URL if the service has one';
    const isLocal = isLoopbackName(url.hostname);
    yield isLocal ? ok('encryption', local) : warning('encryption', text, advice);
    return true;
  }
  yield* variableFindings(environment);
  const route = createRoute(url, environment);
  try {
    const inspection = await inspectCertificate(route, examination, values.connectTimeout);
    const finding = certificateFinding(inspection, route, environment, clock.date().getTime());
    yield finding;
    return finding.outcome !== 'failed';
  } catch (error) {
    signal.throwIfAborted();
    yield failed('certificate', asFailure(error), examination);
    return false;
  }
}
