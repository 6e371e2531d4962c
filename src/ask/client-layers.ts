// The layers around the client of a service: they mask secrets, log, explain a rejected key, and divide reasoning.
import type { Client, ReadOptions } from '../client/client.ts';
import type { ChatEvent, RetryScheduled, TextReceived } from '../client/events.ts';
import { rephrase } from '../client/failure/change-failure.ts';
import { Failure } from '../failure.ts';
import type { Run } from '../run.ts';
import { maskValue } from '../secrets/mask.ts';
import {
  createMaskedStream,
  type MaskedStream,
  type SecretFilter,
} from '../secrets/secret-filter.ts';
import { type Secrets, textFilter } from '../secrets/secrets.ts';

/** Text of the answer, of its reasoning or of a refusal. */
type TextEvent = Extract<ChatEvent, { readonly text: string }>;

const isText = (event: ChatEvent): event is TextEvent => 'text' in event;

function textEvent(type: TextEvent['type'], text: string): TextEvent {
  return type === 'text-received' ? { type, text, deltas: [text] } : { type, text };
}

/**
 * Changes the texts of an answer, with one stream for each kind of text. A stream may hold back the end of a text; that
 * is delivered before an event of a different kind, and before an error.
 * @param changeOther changes the other events
 */
export async function* changeTexts(
  events: AsyncIterable<ChatEvent>,
  createStream: () => MaskedStream,
  changeOther = (event: ChatEvent): ChatEvent => event,
): AsyncGenerator<ChatEvent, void> {
  const streams: Partial<Record<TextEvent['type'], MaskedStream>> = {};
  let current: TextEvent['type'] | undefined;
  function* release(): Generator<ChatEvent, void> {
    if (current === undefined) return;
    const type = current;
    current = undefined;
    const text = streams[type]?.end() ?? '';
    if (text !== '') yield textEvent(type, text);
  }
  try {
    for await (const event of events) {
      if (!isText(event)) {
        // A name may arrive in the middle of a text.
        if (event.type !== 'answer-named') yield* release();
        yield changeOther(event);
        continue;
      }
      if (event.type !== current) yield* release();
      current = event.type;
      const text = (streams[event.type] ??= createStream()).write(event.text);
      // The fragments of a text that changes, as one with a secret does, are joined.
      if (text === event.text) yield event;
      else if (text !== '') yield { ...event, ...textEvent(event.type, text) };
    }
  } catch (error) {
    yield* release();
    throw error;
  }
}

const metadata = ['id', 'model', 'finishReason', 'requestId'] as const;

/** Masks only texts from the service: a secret that looks like a type or the name of a field must not change those. */
function maskMetadata(
  event: ChatEvent & Partial<Readonly<Record<(typeof metadata)[number], string>>>,
  mask: SecretFilter['mask'],
): ChatEvent {
  // The client masks its own failures.
  if (event.type === 'retry-scheduled') return event;
  let masked = event;
  for (const name of metadata) {
    const value = event[name];
    if (value !== undefined) masked = { ...masked, [name]: mask(value) };
  }
  return masked;
}

/** Masks secrets in everything that the service returns, including secrets split over several events. */
export function maskClient(client: Client, secrets: Secrets): Client {
  const masked = <Value>(value: Value): Value => {
    const known = textFilter(secrets);
    return known === undefined ? value : maskValue(value, known.mask);
  };
  return {
    ...client,
    chat(request, options) {
      const events = client.chat(request, options);
      const known = textFilter(secrets);
      if (known === undefined) return events;
      const createStream = () => createMaskedStream(known);
      return changeTexts(events, createStream, (event) => maskMetadata(event, known.mask));
    },
    listModels: async (options) => masked(await client.listModels(options)),
    getModel: async (id, options) => masked(await client.getModel(id, options)),
  };
}

const inMilliseconds = (duration: number) => `${Math.round(duration)} ms`;

function describeRetry({ retry, retries, delay, cause }: RetryScheduled): string {
  const most = retries === Infinity ? '' : ` of ${retries}`;
  return `retry ${retry}${most} in ${inMilliseconds(delay)}: ${cause.message}`;
}

/** Writes into the debug log. @param address that of an endpoint, masked; `path` is relative to `/v1/` */
export function logClient(
  client: Client,
  { context, presentation, settings }: Run,
  address: (path: string) => string,
): Client {
  const { debugLog: log } = presentation;
  /** Logs the start of a call. @returns what logs its end, with its time so far */
  function begin(method: string, path: string) {
    const start = context.clock.monotonic();
    log(`${method} ${address(path)}, profile ${settings.profile.value}`);
    const end = (outcome: string, more = '') =>
      log(`${outcome} after ${inMilliseconds(context.clock.monotonic() - start)}${more}`);
    const fail = (error: unknown): never => {
      end(error instanceof Failure ? `failed (${error.kind})` : 'stopped');
      throw error;
    };
    return { end, fail };
  }
  async function read<Result>(
    path: string,
    options: ReadOptions,
    send: (options: ReadOptions) => Promise<Result>,
  ): Promise<Result> {
    const { end, fail } = begin('GET', path);
    const onRetry = (event: RetryScheduled) => {
      log(describeRetry(event));
      options.onRetry?.(event);
    };
    const result = await send({ ...options, onRetry }).catch(fail);
    end('answered');
    return result;
  }
  return {
    ...client,
    async *chat(request, options) {
      const { end, fail } = begin('POST', 'chat/completions');
      try {
        for await (const event of client.chat(request, options)) {
          if (event.type === 'retry-scheduled') log(describeRetry(event));
          if (event.type === 'answer-started') {
            const { attempt, requestId } = event;
            end(`attempt ${attempt} is answered`, requestId && `, request ${requestId}`);
          }
          if (event.type === 'answer-finished') {
            end('the answer is complete', event.finishReason && `, ${event.finishReason}`);
          }
          yield event;
        }
      } catch (error) {
        fail(error);
      }
    },
    listModels: (options = {}) => read('models', options, (passed) => client.listModels(passed)),
    getModel: (id, options = {}) =>
      read(`models/${encodeURIComponent(id)}`, options, (passed) => client.getModel(id, passed)),
  };
}

/** Names the setting whose command printed the key in the failures for a rejected key. */
export function explainPrintedKey(client: Client, label: string): Client {
  const hint = `the key is from ${label}; ‹natter auth status› shows the command`;
  const explain = (error: unknown): never => {
    const isRejected = error instanceof Failure && error.remedy?.code === 'sign-in';
    throw isRejected ? rephrase(error, { hint }) : error;
  };
  return {
    ...client,
    async *chat(request, options) {
      try {
        yield* client.chat(request, options);
      } catch (error) {
        explain(error);
      }
    },
    listModels: (options) => client.listModels(options).catch(explain),
    getModel: (id, options) => client.getModel(id, options).catch(explain),
  };
}

// Some servers pass the reasoning of a model on as text of the answer, in `<think>…</think>` at its start.
const openingTag = '<think>';
const closingTag = '</think>';

/** The length of the end of a text that may be the start of the closing tag. */
function tagStartLength(text: string): number {
  let length = Math.min(closingTag.length - 1, text.length);
  while (!closingTag.startsWith(text.slice(text.length - length))) length -= 1;
  return length;
}

/** The events of an answer; what is in `<think>…</think>` at the start of its text is reasoning. */
export async function* divideReasoning(
  events: AsyncIterable<ChatEvent>,
): AsyncGenerator<ChatEvent, void> {
  let state: 'start' | 'thinking' | 'thought' | 'answer' = 'start';
  /** Text that is not passed on yet. */
  let held = '';
  /** The reasoning that was passed on, with its tags. */
  let thought = '';

  function* divide(event: TextReceived): Generator<ChatEvent, void> {
    held += event.text;
    const start = held.trimStart();
    if (state === 'start' && start.startsWith(openingTag)) state = 'thinking';
    else if (state === 'start' && !openingTag.startsWith(start)) state = 'answer';
    if (state === 'thinking') yield* takeReasoning();
    // Blank lines between reasoning and answer are part of neither.
    const text = state === 'answer' ? held : held.trimStart();
    if (state !== 'answer' && (state !== 'thought' || text === '')) return;
    state = 'answer';
    const blank = held.slice(0, held.length - text.length);
    if (blank !== '') yield { type: 'reasoning-received', text: '', received: blank };
    held = '';
    yield text === event.text ? event : textEvent('text-received', text);
  }
  function* takeReasoning(): Generator<ChatEvent, void> {
    const start = thought === '' ? held.indexOf(openingTag) + openingTag.length : 0;
    const close = held.indexOf(closingTag, start);
    const isClosed = close !== -1;
    const end = isClosed ? close : held.length - tagStartLength(held.slice(start));
    if (start === end && !isClosed) return;
    const received = held.slice(0, isClosed ? end + closingTag.length : end);
    yield { type: 'reasoning-received', text: held.slice(start, end), received };
    held = held.slice(received.length);
    thought += received;
    if (isClosed) state = 'thought';
  }
  /** Reasoning without an answer is the answer, so that nothing is lost. */
  function* takeRest(): Generator<ChatEvent, void> {
    const rest = thought + held;
    if (state !== 'answer' && rest !== '') yield textEvent('text-received', rest);
    state = 'answer';
  }

  try {
    for await (const event of events) {
      if (event.type === 'answer-finished') yield* takeRest();
      if (event.type === 'text-received') yield* divide(event);
      else yield event;
    }
  } catch (error) {
    yield* takeRest();
    throw error;
  }
}
