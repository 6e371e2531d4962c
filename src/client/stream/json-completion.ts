import { Failure } from '../../failure.ts';
import { isJsonObject } from '../../json.ts';
import type { Answer } from './answer.ts';
import { answerChoice, readChunk } from './completion-chunk.ts';
import { readErrorValue } from '../failure/error-body.ts';
import { malformed } from '../failure/answer-failure.ts';
import { findError, reportedError } from '../failure/reported-error.ts';

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed("the service's answer is malformed JSON", text.length);
  }
}

/**
 * Adds a whole completion, sent as one JSON body with status 200, to `answer`, and finishes it.
 * @throws Failure for an error in that body, or when there is no completion in it.
 */
export function takeJsonCompletion(text: string, answer: Answer): void {
  const value = parseBody(text);
  if (typeof value === 'string' || Array.isArray(value))
    throw reportedError(readErrorValue(value, answer.mask));
  if (isJsonObject(value)) {
    const error = findError(value, answer.mask);
    if (error !== undefined) throw reportedError(error);
    if (answerChoice(value['choices']) !== undefined) {
      answer.add(readChunk(value));
      answer.finish();
      return;
    }
  }
  throw new Failure('server_error', "the service's answer is JSON without a completion in it", {
    remedy: { code: 'check-base-url' },
  });
}
