import type { Completion, Ending } from './answers/completion.ts';
import type { CompletionRequest, ErrorName, Usage } from '../client/contract.ts';
import type { AnswerFinished, ChatEvent } from '../client/events.ts';
import { Failure, type FailureKind } from '../failure.ts';
import { countTokens } from './token-counter.ts';

/**
 * Answers in place of the sandbox's own replies. The request has only the contract's fields. It throws a
 * {@link Failure} if it cannot answer, and the signal's reason after an abort.
 */
export type Engine = (request: CompletionRequest, signal: AbortSignal) => AsyncIterable<ChatEvent>;

/** Errors that the client can act on; any other one is a `server_error`. */
const clientErrors: Readonly<Partial<Record<FailureKind, ErrorName>>> = {
  invalid_request: 'invalid_request',
  forbidden: 'forbidden',
  not_found: 'not_found',
  rate_limited: 'rate_limited',
};

/** The message without the text of its status, which the client adds again. */
function messageTail({ message, status }: Failure): string {
  const mark = ` (${status}): `;
  const at = status === undefined ? -1 : message.indexOf(mark);
  return at < 0 ? `: ${message}` : message.slice(at);
}

/**
 * The contract's error for what an engine threw. The engine's 401 is about a key that the client neither has nor
 * knows, so it becomes a `server_error`. Hints are omitted: they are for the person who runs the sandbox.
 * @returns the same error if it is not a Failure
 */
function engineFailure(error: unknown): unknown {
  if (!(error instanceof Failure)) return error;
  const { kind, retryAfterSeconds: wait } = error;
  const source =
    kind === 'unauthorized' ? "the upstream rejected the sandbox's key, not yours" : 'upstream';
  return new Failure(clientErrors[kind] ?? 'server_error', `${source}${messageTail(error)}`, {
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

/** The engine's counts, or the sandbox's if they are missing; the total is always the sum. */
function completeUsage(
  reported: Usage | undefined,
  promptTokens: number,
  tokens: number,
): Ending['usage'] {
  const valid = (count: number | undefined, fallback: number): number =>
    Number.isSafeInteger(count) && Number(count) >= 0 ? Number(count) : fallback;
  const prompt = valid(reported?.prompt_tokens, promptTokens);
  const completion = valid(reported?.completion_tokens, tokens);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
  };
}

/** What the sandbox adds to an engine's answer. */
interface EngineAnswer {
  readonly id: string;
  readonly model: string;
  /** Used if the engine reports none. */
  readonly promptTokens: number;
  /** Text to send before the engine's. */
  readonly prelude: Iterable<string>;
}

/**
 * Resolves at the first text of the engine: until then, a failure can still be sent as a status.
 * @throws Failure of a kind in the contract, or the signal's reason; the deltas throw the same
 */
export async function engineCompletion(
  events: AsyncIterable<ChatEvent>,
  { id, model, promptTokens, prelude }: EngineAnswer,
): Promise<Completion> {
  let finished: AnswerFinished | undefined;
  let tokens = 0;

  /** A refusal becomes text, because the contract has no field for it; reasoning is omitted. */
  async function* readTexts(): AsyncGenerator<string, void, undefined> {
    try {
      for await (const event of events) {
        if (event.type === 'text-received') yield* event.deltas;
        if (event.type === 'refusal-received') yield event.text;
        if (event.type === 'answer-finished') {
          finished = event;
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
      yield* prelude;
      for (let step = first; step.done !== true; step = await texts.next()) {
        tokens += countTokens(step.value);
        yield step.value;
      }
    } finally {
      await texts.return();
    }
  }

  return {
    id,
    model,
    deltas: takeDeltas(),
    ending: () => ({
      finishReason: contractReason(finished?.finishReason),
      usage: completeUsage(finished?.usage, promptTokens, tokens),
    }),
  };
}
