import {
  isAbsent,
  isAnyMessage,
  type ItemContent,
  type ItemFields,
  refuse,
  settingsOf,
  type Template,
} from './item.ts';
import { contractFields } from '../../client/contract.ts';
import {
  definedFields,
  filledText,
  inexactNumbers,
  isJsonObject,
  isPrototypeName,
  type JsonObject,
} from '../../json.ts';

/** Fields that are not request parameters themselves. */
const itemNames = new Set('id prompt messages system model max_tokens params'.split(' '));

/** Request parameters that services of this wire format know; others are sent with `params`. */
const parameterNames = new Set(
  [
    'temperature top_p top_k min_p stop seed logit_bias logprobs top_logprobs',
    'frequency_penalty presence_penalty repetition_penalty',
    'max_completion_tokens reasoning_effort response_format stream_options',
    'tools tool_choice parallel_tool_calls user metadata service_tier store',
  ].flatMap((names) => names.split(' ')),
);

/** Whether natter writes the field itself, or cannot send it. */
const isRefused = (name: string) =>
  name === '' || contractFields.has(name) || isPrototypeName(name);

/**
 * Parameters among the fields, and those in `params`. A null field is absent; a null in `params` is sent.
 * @throws ItemProblem, unlike in a table also for an unknown field
 */
export function parametersOf(fields: ItemFields) {
  const given = Object.entries(fields).filter(([, value]) => value !== null);
  const unknown = given.find(([name]) => !itemNames.has(name) && !parameterNames.has(name))?.[0];
  if (unknown !== undefined) {
    refuse(
      `has the unknown field ${JSON.stringify(unknown)} (use params for other request fields)`,
    );
  }
  const params = fields['params'] ?? {};
  if (!isJsonObject(params)) return refuse('has params that is not a JSON object');
  const parameters = given.filter(([name]) => parameterNames.has(name));
  const refused = Object.keys(params).find(isRefused);
  if (refused !== undefined) {
    refuse(`has ${JSON.stringify(refused)} in params, which cannot be set there`);
  }
  const repeated = parameters.find(([name]) => Object.hasOwn(params, name));
  if (repeated !== undefined) refuse(`has ${repeated[0]} both as a field and in params`);
  const all = [...Object.entries(params), ...parameters];
  return all.length === 0 ? {} : { params: Object.fromEntries(all) };
}

/** @throws ItemProblem for a number that parsing would change, in the fields that the item uses */
export function refuseInexact(text: string, template: Template | undefined): void {
  for (const { text: number, field = '' } of inexactNumbers(text)) {
    if (template !== undefined && field !== 'id' && !template.names.includes(field)) continue;
    refuse(`has the number ${number} in "${field}", which natter cannot send unchanged`);
  }
}

// A line of an OpenAI batch input file: {"custom_id", "method", "url", "body"}.

/** The address of a request in a batch file. */
export const requestUrl = '/v1/chat/completions';

/** Whether a JSON line is a request, and not an item of natter's own. */
export function isBatchRequest(fields: JsonObject): boolean {
  const isOwn = Object.hasOwn(fields, 'prompt') || Object.hasOwn(fields, 'messages');
  return !isOwn && (Object.hasOwn(fields, 'custom_id') || Object.hasOwn(fields, 'body'));
}

/** An address may be absolute, and may have a query. */
const completionsPath = /\/chat\/completions(?:[?#]|$)/;

/** The content of a request. @param text its JSON @throws ItemProblem */
export function requestContent(
  text: string,
  { custom_id: id, method, url, body }: JsonObject,
): ItemContent {
  if (filledText(id) === undefined) refuse('has no custom_id');
  if (method !== 'POST') refuse('has a method other than "POST"');
  if (typeof url !== 'string' || !completionsPath.test(url)) {
    refuse(`has a url other than "${requestUrl}"`);
  }
  if (!isJsonObject(body)) return refuse('has no body that is a JSON object');
  refuseInexact(text, undefined);
  const { messages, stream, model, max_tokens: maxTokens, ...others } = body;
  if (!Array.isArray(messages) || messages.length === 0 || !messages.every(isAnyMessage)) {
    return refuse('has a body without messages, a list of {role, content}');
  }
  if (!isAbsent(stream) && typeof stream !== 'boolean') {
    return refuse('has stream that is neither true nor false in its body');
  }
  const settings = settingsOf({ model, max_tokens: maxTokens });
  const refused = Object.keys(others).find(isRefused);
  if (refused !== undefined) refuse(`has ${JSON.stringify(refused)} in its body`);
  const params = Object.keys(others).length === 0 ? undefined : others;
  return { messages, ...settings, ...definedFields({ stream: stream ?? undefined, params }) };
}
