// The way to the service: proxy, encryption and certificate.
import { readFileSync } from 'node:fs';
import { isLoopbackName } from '../../address.ts';
import { certificateFailure } from '../../client/failure/network-failure.ts';
import { parseBaseUrl } from '../../client/http/base-url.ts';

import { createRoute, proxyFor, type Route } from '../../client/http/route.ts';
import { isSet, type Environment } from '../../environment.ts';
import { isSecretHeader } from '../../secrets/secret-parts.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import { failureReason } from '../../storage/storage-failure.ts';
import { withHint } from '../../cli/report.ts';
import { asFailure, failedFinding, findingsOf, type Examination, type Finding } from './finding.ts';
import { inspectCertificate, type TlsInspection } from './inspect-certificate.ts';

const section = 'connection';
const { ok, note, warning } = findingsOf(section);

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
  let reason = 'no proxy variable is set';
  if (isLoopbackName(url.hostname)) reason = 'loopback addresses never use one';
  else if (
    Object.keys(environment).some((name) => proxyVariables.test(name) && isSet(environment, name))
  ) {
    reason = 'the proxy variables do not apply to this host';
  }
  return ok('proxy', `requests use no proxy: ${reason}`);
}

function plainFinding({ hostname }: URL, { headers }: ResolvedSettings): Finding {
  const check = 'encryption';
  if (isLoopbackName(hostname)) {
    return ok(check, 'the connection is plain http, and does not leave this machine');
  }
  const sent = Object.keys(headers).some(isSecretHeader) ? 'prompts and headers' : 'prompts';
  const text = `${sent} are sent unencrypted: the base URL is plain http`;
  return warning(check, text, 'use an https base URL if the service has one');
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

const companyHint =
  'if your company inspects TLS, set NODE_EXTRA_CA_CERTS to the certificate file of its authority, or NODE_OPTIONS=--use-system-ca with Node 22.15 or newer; for a public service, its operator must send the complete chain';

function untrusted(
  problem: string,
  { chain }: TlsInspection,
  route: Route,
  environment: Environment,
): Finding {
  const failure = withHint(certificateFailure({}, problem, route), environment);
  const names = [...chain.map(({ subject }) => subject), chain.at(-1)?.issuer ?? ''];
  const text = `${failure.message}; the chain is ${names.filter((name) => name !== '').join(' < ')}`;
  const advice = failure.remedy?.code === 'trust-authority' ? companyHint : failure.markedHint;
  const found = warning('certificate', text, advice);
  // Requests succeed then, so that the check must not fail.
  const isIgnored = environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0';
  return isIgnored ? found : { ...found, outcome: 'failed', kind: failure.kind };
}

const day = 24 * 60 * 60 * 1000;
/** Days before its end at which a certificate should have been renewed. */
const renewal = 14;

/** @param now milliseconds since 1970 */
export function certificateFinding(
  inspection: TlsInspection,
  route: Route,
  environment: Environment,
  now: number,
): Finding {
  const { problem, chain, protocol } = inspection;
  if (problem !== undefined) return untrusted(problem, inspection, route, environment);
  const [own] = chain;
  const check = 'certificate';
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
  settings: ResolvedSettings,
): AsyncGenerator<Finding, boolean> {
  const { clock, environment, signal } = examination.context;
  const url = parseBaseUrl(settings.values.baseUrl ?? '');
  yield proxyFinding(url, environment);
  if (url.protocol === 'http:') {
    yield plainFinding(url, settings);
    return true;
  }
  yield* variableFindings(environment);
  const route = createRoute(url, environment);
  try {
    const timeout = settings.values.connectTimeout;
    const inspection = await inspectCertificate(route, { clock, timeout, signal });
    const finding = certificateFinding(inspection, route, environment, clock.date().getTime());
    yield finding;
    return finding.outcome !== 'failed';
  } catch (error) {
    signal.throwIfAborted();
    yield failedFinding(section, 'certificate', asFailure(error), examination);
    return false;
  }
}
