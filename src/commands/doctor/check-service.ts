// What the service answers: its models, and one prompt.
import type { Client } from '../../client/client.ts';
import { collectAnswer } from '../../client/collect-answer.ts';
import type { Usage } from '../../client/contract.ts';
import { parseBaseUrl } from '../../client/http/base-url.ts';
import type { Failure, FailureKind } from '../../failure.ts';
import { silentNotices } from '../../output/notices.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import type { Context, Run } from '../../run.ts';
import { firstModels, modelToSet } from '../auth/check-service.ts';
import { buildRequest } from '../../ask/plan-request.ts';
import { openService } from '../../ask/service.ts';
import {
  asFailure,
  failedFinding,
  findingsOf,
  type DoctorOptions,
  type Examination,
  type Finding,
} from './finding.ts';

const section = 'service';
const { ok, note, warning, skipped } = findingsOf(section);

/** Tokens of an answer. */
const answerLimit = 16;
const promptText = 'Reply with the word ok.';

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

/** What the checks of a service need. */
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

const usualAdvice = 'try again; if it happens again, report it to the service operator';

function failed(probe: Probe, check: string, what: string, failure: Failure): Finding {
  const { baseUrl, apiPath } = probe.settings.values;
  const finding = failedFinding(section, check, failure, probe);
  let advice = advices[failure.kind] ?? finding.advice ?? usualAdvice;
  if (failure.kind === 'not_found' && !probe.hasList && baseUrl !== undefined) {
    const address = parseBaseUrl(baseUrl, apiPath).href.replace(/\/$/, '');
    advice = `is the path of the base URL right? natter requests ${address}/chat/completions`;
  }
  return { ...finding, text: `${what}: ${finding.text}`, advice };
}

/** The request that natter sends for a prompt, without a system prompt. */
function ask({ context, settings, client }: Probe, stream: boolean, maxTokens?: number) {
  const limited = { ...settings, values: { ...settings.values, maxTokens } };
  const { request } = buildRequest(limited, [{ role: 'user', content: promptText }], stream);
  return attempt(context, collectAnswer(client.chat(request, { signal: context.signal })));
}

function tokensOf({ prompt_tokens: sent, completion_tokens: received }: Usage = {}): string {
  if (sent === undefined || received === undefined) return '';
  return `, ${sent} tokens in, ${received} out`;
}

/** @returns the failure of the answer */
async function* checkAnswer(
  probe: Probe,
  stream: boolean,
): AsyncGenerator<Finding, Failure | undefined> {
  const check = stream ? 'stream' : 'no-stream';
  const what = stream ? 'a streamed answer' : 'an answer in one JSON body';
  let sent = await ask(probe, stream, answerLimit);
  // natter sends a limit only if the user sets one.
  const isOurLimit = probe.settings.values.maxTokens === undefined;
  if (sent.failure?.kind === 'invalid_request' && isOurLimit) {
    sent = await ask(probe, stream);
    if (sent.failure === undefined) {
      const text = 'the service refuses max_tokens, and answers without it';
      const advice = 'to limit an answer, send --param max_completion_tokens=500 instead of -t';
      yield note('max-tokens', text, advice);
    }
  }
  const { value, failure, time } = sent;
  if (failure !== undefined) {
    yield failed(probe, check, what, failure);
    return failure;
  }
  yield ok(check, `${what} (${time}${tokensOf(value?.usage)})`);
  return undefined;
}

/** After these, every further request would fail alike. */
const endings = new Set(['unreachable', 'unauthorized', 'configuration', 'rate_limited']);

/** After these, an answer without a stream shows whether streaming is the cause. */
const streamSuspects = new Set(['incomplete', 'server_error', 'invalid_request']);

async function* checkAnswers(probe: Probe): AsyncGenerator<Finding> {
  const { context, settings, client } = probe;
  const listed = await attempt(context, client.listModels({ signal: context.signal }));
  const ids = (listed.value ?? []).map(({ id }) => id);
  const refusal = listed.failure;
  const hasList = refusal?.kind !== 'not_found';
  const models = firstModels(ids);
  if (models !== undefined) yield ok('list', `models: ${models} (${listed.time})`);
  else if (refusal === undefined) yield warning('list', 'the service lists no models');
  else if (!hasList) yield note('list', 'the service has no list of models (404)');
  else yield failed(probe, 'list', 'the list of models', refusal);
  if (refusal !== undefined && endings.has(refusal.kind)) {
    yield skipped('rest', 'no prompt was sent');
    return;
  }
  const { model } = settings.values;
  if (ids.length > 0 && model !== 'auto' && !ids.includes(model)) {
    const text = `the service does not list ${model}, the model in use`;
    yield warning('model', text, `‹natter config set model ${modelToSet(ids)}›`);
  }
  const asking = { ...probe, hasList };
  const failure = yield* checkAnswer(asking, true);
  if (failure !== undefined && streamSuspects.has(failure.kind)) yield* checkAnswer(asking, false);
}

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
    yield* checkAnswers({ ...run, client: service.client, hasList: true });
  } finally {
    await service.close();
  }
}
