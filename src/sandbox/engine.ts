import type { Completion, Ending } from './answers/completion.ts';
import type { CompletionRequest, ErrorName, Usage } from '../client/contract.ts';
import type { AnswerFinished, ChatEvent } from '../client/events.ts';
import { Failure, type FailureKind } from '../failure.ts';
import { countTokens } from './token-counter.ts';

/**
 * Answers in place of the sandbox's own replies. It is asked with the contract's fields alone and has to throw a
 * {@link Failure} where it cannot answer, or the signal's reason once that aborts.
 */
export type Engine = (request: CompletionRequest, signal: AbortSignal) => AsyncIterable<ChatEvent>;

/** What a client may be told as its own matter; anything else is a failure of the service it asked. */
const toldAsTheyAre: Readonly<Partial<Record<FailureKind, ErrorName>>> = {
  invalid_request: 'invalid_request',
  forbidden: 'forbidden',
  not_found: 'not_found',
  rate_limited: 'rate_limited',
};

/** Without what the client made of the status: whoever is told makes the same of the contract's. */
function saidWith({ message, status }: Failure): string {
  const mark = ` (${status}): `;
  const at = status === undefined ? -1 : message.indexOf(mark);
  return at < 0 ? `: ${message}` : message.slice(at);
}

/**
 * The contract's error for what an engine threw. The engine's 401 is about a key that the client neither has nor
 * knows, so it becomes a `server_error`. Hints are left out: they speak to whoever runs the sandbox.
 * @returns anything but a Failure as it is
 */
function engineFailure(error: unknown): unknown {
  if (!(error instanceof Failure)) return error;
  const { kind, retryAfterSeconds: wait } = error;
  const told =
    kind === 'unauthorized' ? "upstream refused the sandbox's own key, not yours" : 'upstream';
  return new Failure(toldAsTheyAre[kind] ?? 'server_error', `${told}${saidWith(error)}`, {
    cause: error,
    ...(wait !== undefined && Number.isFinite(wait) && { retryAfterSeconds: Math.ceil(wait) }),
  });
}

/** Under what name an engine's answer goes out, and what to count where the engine does not. */
export interface EngineAnswer {
  readonly id: string;
  readonly model: string;
  readonly promptTokens: number;
  /** Text to be sent before the engine's. */
  readonly prelude: Iterable<string>;
}

/** A refusal becomes text, its only place in the contract; reasoning has none. */
function deltasOf(event: ChatEvent): readonly string[] {
  if (event.type === 'text-received') return event.deltas;
  return event.type === 'refusal-received' ? [event.text] : [];
}

function isTelling(event: ChatEvent): boolean {
  return event.type === 'answer-finished' || deltasOf(event).length > 0;
}

async function* tellingEvents(
  events: AsyncIterable<ChatEvent>,
): AsyncGenerator<ChatEvent, void, undefined> {
  try {
    for await (const event of events) {
      if (isTelling(event)) yield event;
      // Later events of the engine are about the end, which has been sent.
      if (event.type === 'answer-finished') return;
    }
  } catch (error) {
    throw engineFailure(error);
  }
}

/** Engines have many words for the few finish reasons; any other word means `stop`. */
function finishReason(word = 'stop'): string {
  if (word === 'tool_calls' || word === 'function_call') return word;
  if (/length|max_?(?:\w+_)?tokens/i.test(word)) return 'length';
  return /filter|safety/i.test(word) ? 'content_filter' : 'stop';
}

/** The engine's counts, or the sandbox's where they are missing; the total is always the sum. */
function completeUsage(
  told: Usage | undefined,
  promptTokens: number,
  tokens: number,
): Ending['usage'] {
  const whole = (count: number | undefined, instead: number): number =>
    Number.isSafeInteger(count) && Number(count) >= 0 ? Number(count) : instead;
  const prompt = whole(told?.prompt_tokens, promptTokens);
  const completion = whole(told?.completion_tokens, tokens);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
  };
}

/**
 * Resolves at the first event of the engine: until then a failure can still be sent as a status.
 * @throws Failure of a kind the contract knows, here and while the deltas are taken; or the signal's reason
 */
export async function engineCompletion(
  events: AsyncIterable<ChatEvent>,
  { id, model, promptTokens, prelude }: EngineAnswer,
): Promise<Completion> {
  const telling = tellingEvents(events);
  const first = await telling.next();
  let finished: AnswerFinished | undefined;
  let tokens = 0;
  async function* takeDeltas(): AsyncGenerator<Iterable<string>, void, undefined> {
    try {
      yield prelude;
      for (let step = first; step.done !== true; step = await telling.next()) {
        const deltas = deltasOf(step.value);
        for (const delta of deltas) tokens += countTokens(delta);
        if (step.value.type === 'answer-finished') finished = step.value;
        yield deltas;
      }
    } finally {
      await telling.return();
    }
  }
  return {
    id,
    model,
    deltas: takeDeltas(),
    ending: () => ({
      finishReason: finishReason(finished?.finishReason),
      usage: completeUsage(finished?.usage, promptTokens, tokens),
    }),
  };
}
