import type { CompletionRequest } from '../../../client/contract.ts';
import type { Failure } from '../../../failure.ts';
import {
  askUntilConforming,
  type CheckedAnswers,
  failureOf,
  lastOf,
  metadataOf,
} from '../../check/ask.ts';
import { checkFields, withValue } from '../../check/check-fields.ts';
import type { AnswerCheck } from '../../check/open-check.ts';
import { isUnsent } from './count-outcome.ts';
import type { ItemOutcome } from './item-attempt.ts';

/** The failure of a request that was not sent. */
function unsentFailure({ failure }: ItemOutcome): Failure | undefined {
  return failure !== undefined && isUnsent(failure) ? failure : undefined;
}

/** Without an answer that was cancelled before its text, or not asked for: the one before is the outcome. */
function received(answers: CheckedAnswers<ItemOutcome>): CheckedAnswers<ItemOutcome> {
  const { answer } = lastOf(answers);
  const earlier = answers.slice(0, -1);
  const before = earlier.pop();
  const isMissing = answer.content === '' && (answer.wasStopped || unsentFailure(answer));
  return isMissing && before !== undefined ? [...earlier, before] : answers;
}

/**
 * Sends an item until its answer conforms.
 * @param send sends one request until it is answered, or has failed for good
 * @param mayAskAgain whether new requests may start
 */
export async function sendChecked(
  check: AnswerCheck,
  request: CompletionRequest,
  send: (request: CompletionRequest) => Promise<ItemOutcome>,
  mayAskAgain: () => boolean,
): Promise<ItemOutcome> {
  const asked = await askUntilConforming({
    check,
    messages: request.messages,
    send: (messages) => send({ ...request, messages }),
    onMismatch: mayAskAgain,
  });
  const answers = received(asked);
  const { answer, checked } = lastOf(answers);
  return {
    ...answer,
    metadata: metadataOf(answers),
    failure: unsentFailure(lastOf(asked).answer) ?? failureOf(check, answers),
    checked: {
      fields: checkFields(answers, request.model),
      withValue: (line) => withValue(line, checked),
    },
  };
}
