import { setImmediate as nextTurn } from 'node:timers/promises';
import { catalogue, type CompletionRequest, sandboxIdStart } from '../client/contract.ts';
import { Failure } from '../failure.ts';
import type { Engine, Exchange } from './exchange.ts';
import type { Fault } from './faults/fault-fields.ts';
import { withoutGroup } from './faults/parse-fault.ts';
import { hostileText, replies, schemaIn } from './replies/replies.ts';

/**
 * A token: an optional space and up to six letters or digits (ASCII, or of an alphabet below U+2000), up to eight
 * blanks, or one other character, never half of a surrogate pair. It has about four bytes of English.
 */
const tokenPattern = / ?[\w\u00c0-\u1fff]{1,6}|[\t-\r \u00a0]{1,8}|[^]/gu;

/** Tokens of each message in addition to its text. */
const messageCost = 3;

/** The tokens of a text, lazily. */
export function* tokensOf(text: string): Generator<string, void, undefined> {
  for (const [token] of text.matchAll(tokenPattern)) yield token;
}

export function countTokens(text: string): number {
  let count = 0;
  for (const _ of text.matchAll(tokenPattern)) count += 1;
  return count;
}

export function countPromptTokens(messages: readonly { readonly content: string }[]): number {
  return messages.reduce((sum, { content }) => sum + countTokens(content) + messageCost, 0);
}

/** One answer to a prompt. Its finish reason and tokens are those of the deltas that were read so far. */
export interface Completion {
  readonly id: string;
  readonly model: string;
  /** Lazy; can be iterated once. */
  deltas: Iterable<string> | AsyncIterable<string>;
  finishReason: string;
  promptTokens: number;
  tokens: number;
  /** When the first token is sent, by the clock's monotonic milliseconds. */
  due: number;
}

/** The finish reason to send; undefined if the fault omits it. */
export function finishReasonOf(fault: Fault, completion: Completion): string | undefined {
  if (fault['no-finish-reason'] === true) return undefined;
  return fault['finish-reason'] ?? completion.finishReason;
}

/** Characters of an answer that is sent in one piece. */
const maxAnswer = 8 * 1024 * 1024;

/** The whole answer as one JSON body. @throws Failure `server_error` if the text is too long */
export async function completionBody(completion: Completion, fault: Fault): Promise<object> {
  let content = '';
  for await (const delta of completion.deltas) {
    content += delta;
    // Other requests get a turn.
    if (completion.tokens % 10_000 === 0) await nextTurn();
    if (content.length > maxAnswer) {
      const size = `over ${maxAnswer} characters, which is too long for one JSON body`;
      throw new Failure('server_error', `the answer is ${size}`, { hint: 'request a stream' });
    }
  }
  const text = fault.refusal === true ? { content: null, refusal: content } : { content };
  const message = { role: 'assistant', ...text };
  return {
    id: completion.id,
    object: 'chat.completion',
    model: completion.model,
    choices: [{ index: 0, message, finish_reason: finishReasonOf(fault, completion) }],
    usage: fault.usage === 'none' ? undefined : reportedUsage(fault, completion),
  };
}

/** The usage as OpenAI sends it. */
export function reportedUsage({ cached }: Fault, { promptTokens, tokens }: Completion): object {
  const details = cached !== undefined && { prompt_tokens_details: { cached_tokens: cached } };
  return {
    prompt_tokens: promptTokens,
    completion_tokens: tokens,
    total_tokens: promptTokens + tokens,
    ...details,
  };
}

/** The tokens of one of the sandbox's replies, up to `max_tokens`. */
function* replyTokens(
  completion: Completion,
  request: CompletionRequest,
  prompt: string,
  fault: Fault,
): Generator<string, void, undefined> {
  const { messages, max_tokens: maxTokens = Infinity } = request;
  const plain = schemaIn(messages) === undefined ? 'default' : 'sample';
  const reply = replies[fault.reply ?? (fault.tokens === undefined ? plain : 'tokens')];
  const { promptTokens } = completion;

  function* allTokens(): Generator<string, void, undefined> {
    if (fault.hostile === true) yield* tokensOf(hostileText);
    const text = reply({ request, promptTokens, text: prompt, fault });
    yield* typeof text === 'string' ? tokensOf(text) : text;
  }

  for (const token of allTokens()) {
    if (completion.tokens >= maxTokens) {
      completion.finishReason = 'length';
      return;
    }
    completion.tokens += 1;
    yield token;
  }
}

/** Errors that the client can act on; any other one is a `server_error`. */
const clientErrors = ['invalid_request', 'forbidden', 'not_found', 'rate_limited'] as const;

/**
 * The contract's error for what an engine threw. The engine's 401 is about a key that the client neither has nor
 * knows, so it becomes a `server_error`. Hints are omitted: they are for the person who runs the sandbox.
 * @returns the same error if it is not a Failure
 */
function engineFailure(error: unknown): unknown {
  if (!(error instanceof Failure)) return error;
  const { kind, message, status, retryAfterSeconds: wait } = error;
  // Without the text of the status, which the client adds again.
  const at = status === undefined ? -1 : message.indexOf(` (${status}): `);
  const reason = at < 0 ? `: ${message}` : message.slice(at);
  const source =
    kind === 'unauthorized' ? "the upstream rejected the sandbox's key, not yours" : 'upstream';
  const name = clientErrors.find((one) => one === kind) ?? 'server_error';
  return new Failure(name, `${source}${reason}`, {
    cause: error,
    ...(wait !== undefined && Number.isFinite(wait) && { retryAfterSeconds: Math.ceil(wait) }),
  });
}

/** Maps an engine's finish reason to one of the contract; an unknown one is `stop`. */
function contractReason(word = 'stop'): string {
  if (word === 'tool_calls' || word === 'function_call') return word;
  if (/length|max_?(?:\w+_)?tokens/i.test(word)) return 'length';
  return /filter|safety/i.test(word) ? 'content_filter' : 'stop';
}

/** A count of the engine, or the sandbox's if it is missing or wrong. */
const countOr = (count: number | undefined, own: number): number =>
  Number.isSafeInteger(count) && Number(count) >= 0 ? Number(count) : own;

/**
 * Sends the request to the engine, without the `[sandbox …]` groups of its prompts. Resolves at the first text: until
 * then, a failure can still be sent as a status.
 * @returns the deltas
 * @throws Failure of a kind in the contract, or the signal's reason; the deltas throw the same
 */
async function askEngine(
  engine: Engine,
  { signal, fault }: Exchange,
  completion: Completion,
  received: CompletionRequest,
): Promise<AsyncIterable<string>> {
  const messages = received.messages.map(({ role, content }) => ({
    role,
    content: role === 'user' ? withoutGroup(content) : content,
  }));
  completion.promptTokens = countPromptTokens(messages);

  /** A refusal becomes text, because the contract has no field for it; reasoning is omitted. */
  async function* readTexts(): AsyncGenerator<string, void, undefined> {
    try {
      for await (const event of engine({ ...received, messages }, signal)) {
        if (event.type === 'text-received') yield* event.deltas;
        if (event.type === 'refusal-received') yield event.text;
        if (event.type === 'answer-finished') {
          const { finishReason, usage } = event;
          completion.finishReason = contractReason(finishReason);
          completion.promptTokens = countOr(usage?.prompt_tokens, completion.promptTokens);
          completion.tokens = countOr(usage?.completion_tokens, completion.tokens);
          // Later events only describe the end, which the client already has.
          return;
        }
      }
    } catch (error) {
      throw engineFailure(error);
    }
  }

  const texts = readTexts();
  const first = await texts.next();
  async function* takeDeltas(): AsyncGenerator<string, void, undefined> {
    try {
      if (fault.hostile === true) yield hostileText;
      for (let step = first; step.done !== true; step = await texts.next()) {
        completion.tokens += countTokens(step.value);
        yield step.value;
      }
    } finally {
      await texts.return();
    }
  }
  return takeDeltas();
}

/**
 * Starts an answer: that of the engine, if there is one and the fault selects no reply.
 * @param prompt the last user message without its `[sandbox …]` group
 * @throws Failure of a kind in the contract if the engine cannot answer
 */
export async function openCompletion(
  exchange: Exchange,
  request: CompletionRequest,
  prompt: string,
  promptTokens: number,
): Promise<Completion> {
  const { arrived, fault } = exchange;
  const { engine, latency = {} } = exchange.state;
  const { model } = request;
  const completion: Completion = {
    id: `${sandboxIdStart}${exchange.number}`,
    model,
    deltas: [],
    finishReason: 'stop',
    promptTokens,
    tokens: 0,
    due: arrived,
  };
  if (engine !== undefined && fault.reply === undefined && fault.tokens === undefined) {
    completion.deltas = await askEngine(engine, exchange, completion, request);
    return completion;
  }
  completion.deltas = replyTokens(completion, request, prompt, fault);
  const typical = catalogue.find(({ id }) => id === model)?.typicalLatency ?? 0;
  completion.due += latency[model] ?? typical;
  return completion;
}
