import { collectAnswer, type CollectedAnswer } from '../../client/collect-answer.ts';
import type { ModelRecord } from '../../client/contract.ts';
import { parseBaseUrl } from '../../client/http/base-url.ts';
import type { Failure, FailureKind } from '../../failure.ts';
import { planRequest } from '../../ask/plan-request.ts';
import { addressOf, failedFinding, type Finding, type SectionFinding } from './finding.ts';
import { attempt, type Attempt, type Probe } from './probe.ts';

/** Tokens of each answer. */
export const answerLimit = 16;
const promptText = 'Reply with the word ok.';
const unknownModel = 'natter-doctor-unknown';

const milliseconds = (time: number) => `${Math.round(time)} ms`;

/** The usual hints are about the text of a person's prompt. */
const advices: Partial<Record<FailureKind, string>> = {
  incomplete:
    'the server, or a proxy on the way, ends or damages streams: try natter --no-stream "hello", and report it to the service operator',
  no_answer: 'the model does not answer a plain prompt: try a different one with -m <model>',
};

const usualAdvice = 'try again; if it happens again, report it to the service operator';

function failed(probe: Probe, check: string, failure: Failure, what: string): Finding {
  const { environment } = probe.context;
  const hints = { environment, address: addressOf(probe.settings) };
  const finding = failedFinding('service', check, failure, hints, `${what}: `);
  return { ...finding, advice: advices[failure.kind] ?? finding.advice ?? usualAdvice };
}

const maxShown = 5;

function listFinding(records: readonly ModelRecord[], time: number): SectionFinding {
  const check = 'list';
  if (records.length === 0) {
    return { check, outcome: 'warning', text: 'the service lists no models' };
  }
  const ids = records.map(({ id }) => id);
  const more = ids.length > maxShown ? ` and ${ids.length - maxShown} more` : '';
  const shown = `${ids.slice(0, maxShown).join(', ')}${more}`;
  return { check, outcome: 'ok', text: `models: ${shown} (${milliseconds(time)})` };
}

function unlistedModel(ids: readonly string[], model: string): SectionFinding | undefined {
  if (ids.length === 0 || ids.includes(model)) return undefined;
  // Users paste this command into a shell, and the id is from the service.
  const id = ids.find((known) => /^[\w./:@+][\w./:@+-]*$/.test(known)) ?? '<id>';
  return {
    check: 'model',
    outcome: 'warning',
    text: `the service does not list ${model}, the model in use`,
    advice: `natter config set model ${id}`,
  };
}

async function checkList(probe: Probe, { value, failure, time }: Attempt<readonly ModelRecord[]>) {
  const add = (finding: SectionFinding) => probe.add({ section: 'service', ...finding });
  if (value !== undefined) await add(listFinding(value, time));
  else if (failure?.kind === 'not_found') {
    await add({ check: 'list', outcome: 'note', text: 'the service has no list of models (404)' });
  } else if (failure !== undefined) await add(failed(probe, 'list', failure, 'the list of models'));
  return (value ?? []).map(({ id }) => id);
}

async function checkGet(probe: Probe, model: string): Promise<Failure | undefined> {
  const { client, context, add } = probe;
  const { failure, time } = await attempt(probe, () =>
    client.getModel(model, { signal: context.signal }),
  );
  const finding: SectionFinding =
    failure === undefined
      ? { check: 'get', outcome: 'ok', text: `the record of ${model} (${milliseconds(time)})` }
      : failure.kind === 'not_found'
        ? { check: 'get', outcome: 'note', text: `the service has no record of ${model} (404)` }
        : failed(probe, 'get', failure, `the record of ${model}`);
  await add({ ...finding, section: 'service' });
  return failure;
}

/** The request that natter sends for a prompt, without a system prompt, and with a short answer. */
function promptRequest({ settings }: Probe, stream: boolean, model?: string) {
  const values = { ...settings.values, maxTokens: answerLimit, ...(model && { model }) };
  return planRequest({ ...settings, values }, [{ role: 'user', content: promptText }], stream)
    .request;
}

function send(probe: Probe, stream: boolean, model?: string): Promise<Attempt<CollectedAnswer>> {
  const { client, context } = probe;
  const request = promptRequest(probe, stream, model);
  return attempt(probe, () => collectAnswer(client.chat(request, { signal: context.signal })));
}

function tokensOf({ usage }: CollectedAnswer): string {
  const { prompt_tokens: sent, completion_tokens: received } = usage ?? {};
  if (sent === undefined || received === undefined) return '';
  return `, ${sent} tokens in, ${received} out`;
}

/** For a service that knows none of the paths of the contract. */
const pathAdvice = (baseUrl: string) =>
  `is the path of the base URL right? natter requests ${baseUrl}/chat/completions`;

async function checkPrompt(
  probe: Probe,
  stream: boolean,
  isUnknownPath: boolean,
): Promise<Attempt<CollectedAnswer>> {
  const check = stream ? 'stream' : 'no-stream';
  const what = stream ? 'a streamed answer' : 'an answer in one JSON body';
  const sent = await send(probe, stream);
  const { value, failure, time } = sent;
  const finding: SectionFinding =
    failure === undefined
      ? {
          check,
          outcome: 'ok',
          text: `${what} (${milliseconds(time)}${value === undefined ? '' : tokensOf(value)})`,
        }
      : failed(probe, check, failure, what);
  const { baseUrl } = probe.settings.values;
  const isPath = isUnknownPath && failure?.kind === 'not_found' && baseUrl !== undefined;
  const advised = isPath
    ? {
        ...finding,
        advice: pathAdvice(
          parseBaseUrl(baseUrl, probe.settings.values.apiPath).href.replace(/\/$/, ''),
        ),
      }
    : finding;
  await probe.add({ ...advised, section: 'service' });
  return sent;
}

function refusal(what: string, { status, kind }: Failure): string {
  return `${what} is refused: ${status === undefined ? kind : `${status} ${kind}`}`;
}

async function checkWrongKey(probe: Probe): Promise<Attempt<unknown> | undefined> {
  const { strangerClient: client, context } = probe;
  const check = 'wrong-key';
  const add = (finding: SectionFinding) => probe.add({ section: 'service', ...finding });
  if (client === undefined) {
    await add({ check, outcome: 'skipped', text: 'no key is set, so no wrong key was sent' });
    return undefined;
  }
  const sent = await attempt(probe, () => client.listModels({ signal: context.signal }));
  const { failure } = sent;
  if (failure?.kind === 'unauthorized' || failure?.kind === 'forbidden') {
    await add({ check, outcome: 'ok', text: refusal('a wrong key', failure) });
  } else if (failure === undefined) {
    const explanation =
      'a wrong key gets the list of models too, so that list does not show whether a key is valid';
    await add({ check, outcome: 'note', text: explanation });
  } else await add({ check, outcome: 'note', text: `with a wrong key: ${failure.message}` });
  return sent;
}

async function checkUnknownModel(probe: Probe): Promise<Attempt<unknown>> {
  const sent = await send({ ...probe, client: probe.unmeteredClient }, false, unknownModel);
  const { failure } = sent;
  const refused = ['not_found', 'invalid_request', 'forbidden'];
  const add = (finding: SectionFinding) => probe.add({ section: 'service', ...finding });
  const check = 'unknown-model';
  if (failure !== undefined && refused.includes(failure.kind)) {
    await add({ check, outcome: 'ok', text: refusal('an unknown model', failure) });
  } else if (failure === undefined) {
    const explanation = 'any model id is answered, so a mistyped model is not noticed';
    await add({ check, outcome: 'note', text: explanation });
  } else await add({ check, outcome: 'note', text: `an unknown model: ${failure.message}` });
  return sent;
}

/** The attempts whose responses show what the server does. */
export interface ServiceAttempts {
  readonly streamed: Attempt<CollectedAnswer>;
  readonly whole: Attempt<CollectedAnswer>;
  readonly refused: readonly Attempt<unknown>[];
}

/** After these, every further request would fail alike. */
const endings = new Set<string | undefined>([
  'unreachable',
  'unauthorized',
  'configuration',
  'rate_limited',
]);

async function skipRest(probe: Probe): Promise<undefined> {
  const explanation = 'the other requests were not sent';
  await probe.add({ section: 'service', check: 'rest', outcome: 'skipped', text: explanation });
  return undefined;
}

/** @returns undefined if the prompts were not sent, because they would fail too */
export async function checkService(
  probe: Probe,
  listed: Attempt<readonly ModelRecord[]>,
): Promise<ServiceAttempts | undefined> {
  const ids = await checkList(probe, listed);
  if (endings.has(listed.failure?.kind)) return skipRest(probe);
  const { model } = promptRequest(probe, true);
  const unlisted = unlistedModel(ids, model);
  if (unlisted !== undefined) await probe.add({ ...unlisted, section: 'service' });
  const unread = await checkGet(probe, model);
  const isUnknownPath = listed.failure?.kind === 'not_found' && unread?.kind === 'not_found';
  const streamed = await checkPrompt(probe, true, isUnknownPath);
  if (endings.has(streamed.failure?.kind)) return skipRest(probe);
  const whole = await checkPrompt(probe, false, isUnknownPath);
  const wrongKey = await checkWrongKey(probe);
  const isAnswered = streamed.failure === undefined || whole.failure === undefined;
  const refused = [wrongKey, ...(isAnswered ? [await checkUnknownModel(probe)] : [])];
  return { streamed, whole, refused: refused.filter((one) => one !== undefined) };
}
