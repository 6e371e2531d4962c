// The way to the service: proxy, encryption and certificate. Then what it answers: its models, and one prompt.
import { readFileSync } from 'node:fs';
import type { TLSSocket } from 'node:tls';
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
import {
  asFailure,
  failed,
  note,
  ok,
  warning,
  type Examination,
  type Finding,
  skipped,
  type DoctorOptions,
} from './finding.ts';
import type { Client } from '../../client/client.ts';
import { collectAnswer } from '../../client/collect-answer.ts';
import type { Failure, FailureKind } from '../../failure.ts';
import { silentNotices } from '../../output/notices.ts';
import type { Context, Run } from '../../run.ts';
import { firstModels, modelToSet } from '../auth/run.ts';
import { planRequest } from '../../ask/plan-request.ts';
import { openService } from '../../ask/service.ts';

export function proxyFinding(url: URL, environment: Environment): Finding {
  const proxy = proxyFor(url, environment);
  if (proxy !== undefined) {
    const { protocol, host, username, password } = proxy.url;
    const login = username === '' && password === '' ? '' : ', with a user name and password';
    const text = `requests use the proxy ${protocol}//${host} of ${proxy.variable}${login}`;
    return note('proxy', text);
  }
  return ok('proxy', 'requests use no proxy: no variable such as HTTPS_PROXY applies to this host');
}

function* variableFindings(environment: Environment): Generator<Finding> {
  const check = 'variable';
  if (environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    const text = 'NODE_TLS_REJECT_UNAUTHORIZED is 0: certificates are not verified';
    const advice = 'unset it; set NODE_EXTRA_CA_CERTS to the certificate file of your authority';
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

/** The common name of a certificate, or its organization. @param name has a line for each part */
function nameOf(name: string): string {
  const found = (/^CN=(.+)$/m.exec(name) ?? /^O=(.+)$/m.exec(name))?.[1] ?? '';
  // Node writes a backslash before commas, quotes and the like.
  return found.replaceAll(/\\(.)/g, '$1');
}

/** A service may send more, or a chain that does not end. */
const maxChain = 10;

/**
 * Opens a TLS connection as a request does, through the proxy of the route, and closes it without sending a request. An
 * untrusted certificate is not a failure.
 * @returns the protocol, such as `TLSv1.3`, and the chain as the service sent it, its own first
 * @throws RequestFailure without a connection; or the signal's reason when it aborts
 */
async function inspectCertificate(
  route: Route,
  { context: { clock, signal } }: Examination,
  timeout: number,
) {
  const connector = createConnector(route, clock, timeout, { rejectUnauthorized: false });
  signal.throwIfAborted();
  signal.addEventListener('abort', () => connector.close());
  const socket = (await connector.open()) as TLSSocket;
  const chain: { subject: string; issuer: string; validTo: Date }[] = [];
  let next = socket.getPeerX509Certificate();
  while (next !== undefined && chain.length < maxChain) {
    const { subject, issuer, validTo, issuerCertificate } = next;
    chain.push({ subject: nameOf(subject), issuer: nameOf(issuer), validTo: new Date(validTo) });
    // The last certificate may be its own issuer.
    next = subject === issuer ? undefined : issuerCertificate;
  }
  // Node's type is Error, its value a code such as CERT_HAS_EXPIRED.
  const error: unknown = socket.authorizationError;
  const problem = socket.authorized ? undefined : String(error);
  const protocol = socket.getProtocol() ?? 'TLS';
  socket.destroy();
  return { protocol, chain, problem };
}

const companyHint =
  'if your company inspects TLS, set NODE_EXTRA_CA_CERTS to the certificate file of its authority, or NODE_OPTIONS=--use-system-ca with Node 22.15 or newer; for a public service, its operator must send the complete chain';

const day = 24 * 60 * 60 * 1000;
/** Days before its end at which a certificate should have been renewed. */
const renewal = 14;

/** @param now milliseconds since 1970 */
export function certificateFinding(
  { problem, chain, protocol }: Awaited<ReturnType<typeof inspectCertificate>>,
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

/** Tokens of an answer. */
const answerLimit = 16;

/** @returns the value or the failure of a request, and its time: `120 ms` @throws the reason of an abort */
async function attempt<Value>({ clock, signal }: Context, request: Promise<Value>) {
  const start = clock.monotonic();
  const time = () => `${Math.round(clock.monotonic() - start)} ms`;
  try {
    return { value: await request, time: time() };
  } catch (error) {
    signal.throwIfAborted();
    return { failure: asFailure(error), time: time() };
  }
}

interface Probe extends Run<DoctorOptions> {
  readonly client: Client;
  /** False if the service does not know the path of the list of models. */
  readonly hasList: boolean;
}

/** The usual hints are about the text of a person's prompt. */
const advices: Partial<Record<FailureKind, string>> = {
  incomplete:
    'the server, or a proxy on the way, ends or damages streams: try ‹natter --no-stream "hello"›, and report it to the service operator',
  no_answer: 'the model does not answer a plain prompt: try a different one with -m <model>',
};

function refused(probe: Probe, check: string, what: string, failure: Failure): Finding {
  const { baseUrl, apiPath } = probe.settings.values;
  const finding = failed(check, failure, probe);
  let advice =
    advices[failure.kind] ??
    finding.advice ??
    'try again; if it happens again, report it to the service operator';
  if (failure.kind === 'not_found' && !probe.hasList && baseUrl !== undefined) {
    const address = parseBaseUrl(baseUrl, apiPath).href.replace(/\/$/, '');
    advice = `is the path of the base URL right? natter requests ${address}/chat/completions`;
  }
  return { ...finding, text: `${what}: ${finding.text}`, advice };
}

/** @returns the failure of the answer */
async function* checkAnswer(
  probe: Probe,
  stream: boolean,
): AsyncGenerator<Finding, Failure | undefined> {
  const { context, settings, client } = probe;
  const { signal } = context;
  const check = stream ? 'stream' : 'no-stream';
  const what = stream ? 'a streamed answer' : 'an answer in one JSON body';
  /** Sends the request that natter sends for a prompt, without a system prompt. */
  const ask = (maxTokens?: number) => {
    const limited = { ...settings, values: { ...settings.values, maxTokens } };
    const prompt = { role: 'user', content: 'Reply with the word ok.' } as const;
    const { request } = planRequest(limited, [prompt], stream);
    return attempt(context, collectAnswer(client.chat(request, { signal })));
  };
  let sent = await ask(answerLimit);
  // natter sends a limit only if the user sets one.
  if (sent.failure?.kind === 'invalid_request' && settings.values.maxTokens === undefined) {
    sent = await ask();
    if (sent.failure === undefined) {
      const text = 'the service refuses max_tokens, and answers without it';
      const advice = 'to limit an answer, send --param max_completion_tokens=500 instead of -t';
      yield note('max-tokens', text, advice);
    }
  }
  const { value, failure, time } = sent;
  if (failure !== undefined) {
    yield refused(probe, check, what, failure);
    return failure;
  }
  const { prompt_tokens: input, completion_tokens: output } = value?.usage ?? {};
  const isCounted = input !== undefined && output !== undefined;
  const tokens = isCounted ? `, ${input} tokens in, ${output} out` : '';
  yield ok(check, `${what} (${time}${tokens})`);
  return undefined;
}

/** Every further request would fail like these. */
const endings = new Set(['unreachable', 'unauthorized', 'configuration', 'rate_limited']);

/** An answer without a stream shows whether streaming is the cause of these. */
const streamSuspects = new Set(['incomplete', 'server_error', 'invalid_request']);

/** @throws Failure `configuration` for a service that cannot be opened; or the reason of an abort */
export async function* checkService(
  examination: Examination,
  settings: ResolvedSettings,
): AsyncGenerator<Finding> {
  // The findings have what they would print.
  const presentation = { ...examination.presentation, notices: silentNotices };
  const run = { ...examination, presentation, settings };
  const service = await openService(run, { command: 'doctor' });
  try {
    const { context } = examination;
    const { client } = service;
    const listed = await attempt(context, client.listModels({ signal: context.signal }));
    const ids = (listed.value ?? []).map(({ id }) => id);
    const refusal = listed.failure;
    const probe = { ...run, client, hasList: refusal?.kind !== 'not_found' };
    const models = firstModels(ids);
    if (models !== undefined) yield ok('list', `models: ${models} (${listed.time})`);
    else if (refusal === undefined) yield warning('list', 'the service lists no models');
    else if (!probe.hasList) yield note('list', 'the service has no list of models (404)');
    else yield refused(probe, 'list', 'the list of models', refusal);
    if (refusal !== undefined && endings.has(refusal.kind)) {
      yield skipped('rest', 'no prompt was sent');
      return;
    }
    const { model } = settings.values;
    if (ids.length > 0 && model !== 'auto' && !ids.includes(model)) {
      const text = `the service does not list ${model}, the model in use`;
      yield warning('model', text, `‹natter config set model ${modelToSet(ids)}›`);
    }
    const failure = yield* checkAnswer(probe, true);
    if (failure !== undefined && streamSuspects.has(failure.kind)) yield* checkAnswer(probe, false);
  } finally {
    await service.close();
  }
}
