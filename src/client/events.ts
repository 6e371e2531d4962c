import type { Failure } from '../failure.ts';
import type { Usage } from './contract.ts';

/** Milliseconds since the first request of this prompt was sent, by the client's monotonic clock. */
export interface Timing {
  /** To the first text of the answer; absent when no text came. */
  readonly firstText?: number;
  /** To the end of the answer. */
  readonly total: number;
}

/** The service accepted the prompt: headers of a 200 arrived. */
export interface AnswerStarted {
  readonly type: 'answer-started';
  readonly attempt: number;
  readonly requestId?: string;
}

/** What the service calls the answer, as soon as a chunk says so: an answer that is cut has no other. */
export interface AnswerNamed {
  readonly type: 'answer-named';
  readonly id?: string;
  readonly model?: string;
}

/**
 * Text of the answer. One event stands for one read from the network: `text` is `deltas` joined, and no
 * surrogate pair is split between two events.
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
}

/** The service's refusal text, where it sends one apart from the answer. */
export interface RefusalReceived {
  readonly type: 'refusal-received';
  readonly text: string;
}

/** A request failed before any text came and will be sent again after `delay` milliseconds. */
export interface RetryScheduled {
  readonly type: 'retry-scheduled';
  /** The retry about to be made, from 1. */
  readonly retry: number;
  /** The most retries that will be made. */
  readonly retries: number;
  readonly delay: number;
  readonly cause: Failure;
}

/**
 * The answer said that it has ended (`[DONE]` or a `finish_reason`). Where it is no answer (a filter, a tool call, a
 * refusal) a Failure of kind `no_answer` follows.
 */
export interface AnswerFinished {
  readonly type: 'answer-finished';
  readonly id?: string;
  readonly model?: string;
  readonly finishReason?: string;
  readonly usage?: Usage;
  /** Requests sent, the answered one included. */
  readonly attempts: number;
  readonly timing: Timing;
}

/**
 * What happens to one prompt, in order: any number of `retry-scheduled`, one `answer-started` for each attempt
 * that was accepted, `answer-named` where the service names it, texts, one `answer-finished`. A prompt that fails
 * throws a {@link Failure} instead of finishing, kind `incomplete` once text was received; and one of kind `no_answer`
 * after `answer-finished` when what ended is no answer.
 */
export type ChatEvent =
  | AnswerStarted
  | AnswerNamed
  | TextReceived
  | ReasoningReceived
  | RefusalReceived
  | RetryScheduled
  | AnswerFinished;
