// What the service answers: its models, and one prompt.
import type { Client } from '../../client/client.ts';
import { collectAnswer } from '../../client/collect-answer.ts';
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
  failed,
  note,
  ok,
  skipped,
  warning,
  type DoctorOptions,
  type Examination,
  type Finding,
} from './finding.ts';

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

function refused(probe: Probe, check: string, what: string, failure: Failure): Finding {
  const { baseUrl, apiPath } = probe.settings.values;
  const finding = failed(check, failure, probe);
  let advice = advices[failure.kind] ?? finding.advice ?? usualAdvice;
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
    const { request } = buildRequest(limited, [{ role: 'user', content: promptText }], stream);
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

/** After these, every further request would fail alike. */
const endings = new Set(['unreachable', 'unauthorized', 'configuration', 'rate_limited']);

/** After these, an answer without a stream shows whether streaming is the cause. */
const streamSuspects = new Set(['incomplete', 'server_error', 'invalid_request']);

async function* checkAnswers(run: Run<DoctorOptions>, client: Client): AsyncGenerator<Finding> {
  const { context, settings } = run;
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
    yield* checkAnswers(run, service.client);
  } finally {
    await service.close();
  }
}
