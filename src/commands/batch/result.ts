import { formatFingerprint } from '../../batch/fingerprint.ts';
import type { InputItem, ItemPlace } from '../../batch/input/item.ts';
import { Failure } from '../../failure.ts';
import { failureFields } from '../../output/failure-report.ts';
import { answerFields, jsonLine } from '../../output/json-answer.ts';
import type { ItemOutcome } from './answer.ts';
import { cleanLine } from '../print/clean-line.ts';
import type { Context } from '../program/context.ts';

/** First fields of every line; read back by `result-line.ts` of the batch layer. */
function placeFields({ index, line, id }: ItemPlace, fingerprint: bigint | undefined) {
  return {
    index,
    line,
    id: id ?? null,
    prompt_hash: fingerprint === undefined ? null : formatFingerprint(fingerprint),
  };
}

function errorFields(failure: Failure, context: Context): object {
  return failureFields(failure, (text) => cleanLine(context, text));
}

/** The result of a sent item: the fields of `--json`, with `error` if it failed. */
export function outcomeLine(
  context: Context,
  item: ItemPlace,
  fingerprint: bigint,
  { record, content, askedModel, failure }: ItemOutcome,
): string {
  const place = placeFields(item, fingerprint);
  const error = failure === undefined ? {} : errorFields(failure, context);
  if (content === '' && !record.complete && record.refusal === undefined && failure !== undefined)
    return jsonLine({ ...place, ...error });
  const { id, ...answer } = answerFields(record, content, askedModel);
  return jsonLine({ ...place, completion_id: id, ...answer, ...error });
}

/** The failure of an item that cannot be sent. */
export function unsendable({ line, problem }: InputItem & { readonly problem: string }): Failure {
  return new Failure('usage', `line ${line} of the input ${problem}`, {
    hint: 'correct the line, then run the same command with -o to send what is missing',
  });
}

/** The result of an item that was not sent. */
export function failureLine(
  context: Context,
  item: ItemPlace,
  fingerprint: bigint | undefined,
  failure: Failure,
): string {
  return jsonLine({ ...placeFields(item, fingerprint), ...errorFields(failure, context) });
}
