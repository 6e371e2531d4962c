import type { Failure } from '../failure.ts';
import type { Usage } from './contract.ts';

/** Milliseconds since the client sent the first request for this prompt, by its monotonic clock. */
export interface Timing {
  /** The time until the first text of the answer; absent if there was no text. */
  readonly firstText?: number;
  /** The time until the end of the answer. */
  readonly total: number;
}

/** The service accepted the prompt: the headers of a 200 arrived. */
export interface AnswerStarted {
  readonly type: 'answer-started';
  readonly attempt: number;
  readonly requestId?: string;
}

/** The id and the model of the answer, from the first chunk with them; an answer that is cut has no other source. */
export interface AnswerNamed {
  readonly type: 'answer-named';
  readonly id?: string;
  readonly model?: string;
}

/**
 * Text of the answer, one event for each read from the network. `text` is `deltas` joined; no surrogate pair is split
 * between two events.
 */
export interface TextReceived {
  readonly type: 'text-received';
  readonly text: string;
  readonly deltas: readonly string[];
}

/** Reasoning text, which is not part of the answer. */
export interface ReasoningReceived {
  readonly type: 'reasoning-received';
  readonly text: string;
  /** Where it came as the start of the answer's text: the text with its tags, as received. */
  readonly received?: string;
}

/** The text of a refusal, if the service sends it separately from the answer. */
export interface RefusalReceived {
  readonly type: 'refusal-received';
  readonly text: string;
}

/** A request failed before any text arrived; the client will send it again after `delay` milliseconds. */
export interface RetryScheduled {
  readonly type: 'retry-scheduled';
  /** Number of the next retry, from 1. */
  readonly retry: number;
  /** Maximum number of retries. */
  readonly retries: number;
  readonly delay: number;
  readonly cause: Failure;
}

/** What is known of an answer at its end, apart from its text. */
export interface AnswerEnding {
  readonly id?: string;
  readonly model?: string;
  readonly finishReason?: string;
  readonly usage?: Usage;
  /** Tokens of the prompt at least, if the service counted far fewer: it has probably cut the prompt. */
  readonly estimatedPromptTokens?: number;
  /** Requests sent, including the successful one. */
  readonly attempts: number;
  readonly timing: Timing;
}

/**
 * The answer is complete: it ended with `[DONE]` or a `finish_reason`. If it was filtered, refused or a tool call, a
 * Failure of kind `no_answer` follows.
 */
export interface AnswerFinished extends AnswerEnding {
  readonly type: 'answer-finished';
}

/**
 * The events of one prompt, in order: any number of `retry-scheduled`, an `answer-started` for each accepted attempt,
 * `answer-named` if the service sends an id or a model, texts, one `answer-finished`. A prompt that fails throws a
 * {@link Failure} instead of `answer-finished`, of kind `incomplete` if text was received. A Failure of kind
 * `no_answer` follows `answer-finished`.
 */
export type ChatEvent =
  | AnswerStarted
  | AnswerNamed
  | TextReceived
  | ReasoningReceived
  | RefusalReceived
  | RetryScheduled
  | AnswerFinished;
