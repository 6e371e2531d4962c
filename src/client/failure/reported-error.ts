import { Failure, type FailureKind } from '../../failure.ts';
import { filledText, isJsonObject, type JsonObject } from '../../json.ts';
import {
  type ErrorBody,
  kindOfName,
  kindOfStatus,
  readErrorValue,
  refusesModel,
  unknownModel,
} from './error-body.ts';
import type { Mask } from './short-text.ts';

/** Words in error names outside the contract; the first row that matches decides. */
const kindsByWord: readonly (readonly [RegExp, FailureKind])[] = [
  [/rate.?limit|too.?many.?req|quota|throttl|exhausted/i, 'rate_limited'],
  [/permission|forbidden|access.?denied|not.?allowed/i, 'forbidden'],
  [/auth|api.?key|credential/i, 'unauthorized'],
  [/not.?found|no.?such|does.?not.?exist/i, 'not_found'],
  [
    /context.?(?:length|size|window)|too.?(?:long|large)|invalid|bad.?request|unsupported|validation/i,
    'invalid_request',
  ],
  [/missing|content.?(?:filter|policy)|max.?tokens|unprocessable/i, 'invalid_request'],
];

/** The kind of an error in a response with status 200: by the contract's name, a status in the body, other names. */
export function kindOfError(error: ErrorBody): FailureKind {
  const { names, status } = error;
  if (refusesModel(error)) return 'not_found';
  const known = names.map(kindOfName).find((kind) => kind !== undefined);
  if (known !== undefined) return known;
  if (status !== undefined) return kindOfStatus(status);
  for (const name of names) {
    const row = kindsByWord.find(([words]) => words.test(name));
    if (row !== undefined) return row[1];
  }
  return 'server_error';
}

export function reportedError(error: ErrorBody): Failure {
  const reason = error.message ?? error.name ?? 'no reason given';
  return new Failure(kindOfError(error), `the service reported an error: ${reason}`, {
    ...(refusesModel(error) && { remedy: unknownModel.remedy }),
  });
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '' && value !== false;
}

function choiceError(chunk: JsonObject): unknown {
  const choices = chunk['choices'];
  const [first]: unknown[] = Array.isArray(choices) ? choices : [];
  return isJsonObject(first) && isPresent(first['error']) ? { error: first['error'] } : undefined;
}

/**
 * The error in a chunk or in a whole body; undefined where there is none. An error is an `error` field of the value or
 * of its first choice, or, in a value without `choices`, a `message`, a `detail` or the type `error`.
 */
export function findError(value: JsonObject, mask: Mask): ErrorBody | undefined {
  if (isPresent(value['error'])) return readErrorValue(value, mask);
  const ofChoice = choiceError(value);
  if (ofChoice !== undefined) return readErrorValue(ofChoice, mask);
  if (Array.isArray(value['choices'])) return undefined;
  const hasText = filledText(value['message']) !== undefined;
  const hasError = hasText || isPresent(value['detail']) || isPresent(value['errors']);
  const isNamedError = value['object'] === 'error' || value['type'] === 'error';
  return hasError || isNamedError ? readErrorValue(value, mask) : undefined;
}
