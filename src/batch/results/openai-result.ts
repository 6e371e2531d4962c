// A line of an OpenAI batch output file: {"id", "custom_id", "response", "error"}.

import { isJsonObject, type JsonObject, parseJson } from '../../json.ts';
import { parseFingerprint } from '../fingerprint.ts';
import { resultName } from './result-line.ts';

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

/** A completion as the service returns it. @param created seconds since 1970 */
function completionOf(result: JsonObject, created: number): object {
  const { completion_id: id, model, content, refusal, finish_reason: reason, usage } = result;
  const message = { role: 'assistant', content, refusal: refusal ?? null };
  return {
    id: textOf(id),
    object: 'chat.completion',
    created,
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: reason ?? null }],
    ...(isJsonObject(usage) ? { usage } : {}),
  };
}

/** A refused request has the response of the service, any other failure an `error` and what was received. */
function outcomeOf(result: JsonObject, created: number): object {
  const body = result['content'] === undefined ? undefined : completionOf(result, created);
  const error = result['error'];
  if (!isJsonObject(error))
    return { response: { status_code: 200, request_id: '', body }, error: null };
  const { kind, message, status, request_id: request } = error;
  const requestId = textOf(request);
  if (typeof status === 'number' && status >= 400 && body === undefined) {
    const refusal = { error: { message, type: kind, param: null, code: null } };
    return { response: { status_code: status, request_id: requestId, body: refusal }, error: null };
  }
  const response = body === undefined ? null : { status_code: 200, request_id: requestId, body };
  return { response, error: { code: kind, message } };
}

/** @param line a result in natter's own format @param created seconds since 1970 */
export function openaiResult(line: string, created: number): object {
  const result = parseJson(line);
  if (!isJsonObject(result)) throw new Error('a result is not JSON');
  const name = resultName(Number(result['index']), parseFingerprint(result['prompt_hash']));
  const id = typeof result['id'] === 'string' ? result['id'] : name;
  return { id: name, custom_id: id, ...outcomeOf(result, created) };
}
