import type { InputItem, ItemPlace } from '../../../batch/input/item.ts';
import { Failure } from '../../../failure.ts';
import { failureFields } from '../../../output/ending-failure.ts';
import { fieldsAfterId, jsonLine } from '../../../output/json-answer.ts';
import type { Secrets } from '../../../secrets/secrets.ts';
import type { ItemOutcome } from '../sending/send-item.ts';

/** The first fields of every result; `batch/results/read-results.ts` reads them back. */
function placeFields({ index, line, id }: ItemPlace, fingerprint: string | undefined) {
  return { index, line, id: id ?? null, prompt_hash: fingerprint ?? null };
}

/** The result of a sent item: the fields of `--json`, with `error` if it failed. */
export function outcomeLine(
  secrets: Secrets,
  item: ItemPlace,
  fingerprint: string,
  { metadata, content, requestedModel, failure, checked }: ItemOutcome,
): string {
  const place = placeFields(item, fingerprint);
  const error = failureFields(failure, { secrets });
  const hasText = content !== '' || metadata.refusal !== undefined;
  if (failure !== undefined && !hasText && !metadata.complete) {
    return jsonLine({ ...place, ...error });
  }
  const { id = null, model = requestedModel } = metadata;
  const completion = {
    completion_id: id,
    requested_model: model === requestedModel ? undefined : requestedModel,
  };
  const answer = fieldsAfterId(metadata, content, requestedModel);
  // With several spreads, V8 takes ten times as long for the object and its JSON.
  const line = jsonLine(Object.assign(place, completion, answer, checked?.fields, error));
  return checked?.withValue(line) ?? line;
}

export function unsendable({ line, problem }: InputItem & { readonly problem: string }): Failure {
  return new Failure('usage', `line ${line} of the input ${problem}`, {
    hint: 'correct the line, then run the same command with -o to send what is missing',
  });
}

export function failureLine(
  secrets: Secrets,
  item: ItemPlace,
  fingerprint: string | undefined,
  failure: Failure,
): string {
  return jsonLine({ ...placeFields(item, fingerprint), ...failureFields(failure, { secrets }) });
}
