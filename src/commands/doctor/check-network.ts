import { isLoopbackName } from '../../address.ts';
import { certificateFailure } from '../../client/failure/certificate-failure.ts';
import { formatWait } from '../../client/failure/format-duration.ts';
import { parseBaseUrl } from '../../client/http/base-url.ts';
import type { TlsInspection } from '../../client/http/inspect-certificate.ts';
import { proxyFor } from '../../client/http/route.ts';
import { createRoute, type Route } from '../../client/http/route.ts';
import type { Environment } from '../../environment.ts';
import { withHint } from '../program/report.ts';
import { asFailure, type SectionFinding } from './finding.ts';
import type { ObservedResponse } from './observed-network.ts';
import type { Probe } from './probe.ts';

const proxyVariables = ['http_proxy', 'https_proxy', 'all_proxy'].flatMap((name) => [
  name,
  name.toUpperCase(),
]);

/** @throws Failure `configuration` for an invalid proxy URL */
export function proxyFinding(url: URL, environment: Environment): SectionFinding {
  const check = 'proxy';
  const proxy = proxyFor(url, environment);
  if (proxy !== undefined) {
    const { protocol, host, username, password } = proxy.url;
    const login = username === '' && password === '' ? '' : ', with a user name and password';
    const text = `requests use the proxy ${protocol}//${host} of ${proxy.variable}${login}`;
    return { check, outcome: 'note', text };
  }
  const isSet = proxyVariables.some((name) => (environment[name] ?? '').trim() !== '');
  const reason = isLoopbackName(url.hostname)
    ? 'loopback addresses never use one'
    : isSet
      ? 'the proxy variables do not apply to this host'
      : 'no proxy variable is set';
  return { check, outcome: 'ok', text: `requests use no proxy: ${reason}` };
}

const day = 24 * 60 * 60 * 1000;
/** Days before its end at which a certificate should have been renewed. */
const renewal = 14;

const companyHint =
  'if your company inspects TLS, set NODE_EXTRA_CA_CERTS to the certificate file of its authority, or NODE_OPTIONS=--use-system-ca with Node 22.15 or newer; for a public service, its operator must send the complete chain';

function untrusted(
  { problem = '', chain }: TlsInspection,
  route: Route,
  environment: Environment,
): SectionFinding {
  const failure = withHint(certificateFailure({}, problem, route), environment);
  const isAuthority = failure.remedy?.code === 'trust-authority';
  const names = [...chain.map(({ subject }) => subject), chain.at(-1)?.issuer ?? ''];
  const advice = isAuthority ? companyHint : failure.hint;
  // Requests succeed then, so that the check must not fail.
  const isIgnored = environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0';
  return {
    check: 'certificate',
    ...(isIgnored ? { outcome: 'warning' } : { outcome: 'failed', kind: 'unreachable' }),
    text: `${failure.message}; the chain is ${names.filter((name) => name !== '').join(' < ')}`,
    ...(advice !== undefined && { advice }),
  };
}

/** @param now milliseconds since 1970 */
export function certificateFinding(
  inspection: TlsInspection,
  route: Route,
  environment: Environment,
  now: number,
): SectionFinding {
  const { problem, chain, protocol } = inspection;
  if (problem !== undefined) return untrusted(inspection, route, environment);
  const [own] = chain;
  const check = 'certificate';
  if (own === undefined) {
    return { check, outcome: 'note', text: `the connection is encrypted (${protocol})` };
  }
  const days = Math.floor((own.validTo.getTime() - now) / day);
  const until = Number.isNaN(days) ? '' : `, valid for ${days} days`;
  const text = `the certificate of ${own.subject}, signed by ${own.issuer}, is trusted${until} (${protocol})`;
  if (!(days < renewal)) return { check, outcome: 'ok', text };
  return { check, outcome: 'warning', text, advice: 'the service needs a new certificate soon' };
}

/** Seconds; a Date header has whole seconds, and the response takes time. */
const allowedSkew = 60;

/** Compares the Date header of a response with the local clock. */
export function clockFinding({ headers, arrived }: ObservedResponse): SectionFinding {
  const { date } = headers;
  const check = 'clock';
  const time = typeof date === 'string' ? Date.parse(date) : Number.NaN;
  if (Number.isNaN(time)) {
    const text = 'the service sends no Date header, so the clock was not compared';
    return { check, outcome: 'skipped', text };
  }
  const skew = Math.round((arrived.getTime() - time) / 1000);
  if (Math.abs(skew) <= allowedSkew) {
    return { check, outcome: 'ok', text: "this machine's clock agrees with that of the service" };
  }
  const relation = skew > 0 ? 'ahead of' : 'behind';
  return {
    check,
    outcome: 'warning',
    text: `this machine's clock is ${formatWait(Math.abs(skew))} ${relation} that of the service`,
    advice: "set this machine's clock; a wrong one makes certificates invalid",
  };
}

/** The remedies of a failed TLS handshake; the inspection does not fail for them. */
const certificateRemedies = new Set<string | undefined>([
  'trust-authority',
  'trust-certificate',
  'check-clock',
  'replace-certificate',
  'check-host',
]);

async function inspectService(probe: Probe, url: URL): Promise<SectionFinding> {
  const { context, settings, wait } = probe;
  const { clock, environment, signal } = context;
  const { inspectCertificate } = await import('../../client/http/inspect-certificate.ts');
  const route = createRoute(url, environment);
  const timeout = settings.values.connectTimeout;
  try {
    const inspection = await wait(() => inspectCertificate(route, { clock, timeout, signal }));
    return certificateFinding(inspection, route, environment, clock.date().getTime());
  } catch (error) {
    signal.throwIfAborted();
    const text = `the certificate was not read: ${asFailure(error).message}`;
    return { check: 'certificate', outcome: 'skipped', text };
  }
}

/**
 * Checks proxy, certificate and clock.
 * @param listed the first request, whose outcome shows whether the service can be reached
 */
export async function checkNetwork(
  probe: Probe,
  baseUrl: string,
  listed: {
    readonly response: ObservedResponse | undefined;
    readonly failure?: { readonly remedy: { readonly code: string } | undefined };
  },
): Promise<void> {
  const add = (finding: SectionFinding) => probe.add({ section: 'network', ...finding });
  const url = parseBaseUrl(baseUrl);
  await add(proxyFinding(url, probe.context.environment));
  const isReached =
    listed.response !== undefined || certificateRemedies.has(listed.failure?.remedy?.code);
  if (url.protocol === 'http:') {
    const text = 'the connection is plain http, without a certificate';
    await add({ check: 'certificate', outcome: 'note', text });
  } else if (isReached) await add(await inspectService(probe, url));
  if (listed.response !== undefined) await add(clockFinding(listed.response));
}
