import {
  isAbsent,
  itemContent,
  type ItemContent,
  type ItemFields,
  type Problem,
  settingsOf,
  type Template,
} from './item.ts';
import type { Message } from '../../client/contract.ts';
import { filledText, inexactNumbers, isJsonObject, type JsonObject } from '../../json.ts';

/** Fields that are not request parameters themselves. */
const itemNames: ReadonlySet<string> = new Set([
  'id',
  'prompt',
  'messages',
  'system',
  'model',
  'max_tokens',
  'params',
]);

/** Request parameters that services of this wire format know; others are sent with `params`. */
const parameterNames: ReadonlySet<string> = new Set([
  'temperature',
  'top_p',
  'top_k',
  'min_p',
  'stop',
  'seed',
  'frequency_penalty',
  'presence_penalty',
  'repetition_penalty',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'max_completion_tokens',
  'reasoning_effort',
  'response_format',
  'stream_options',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'user',
  'metadata',
  'service_tier',
  'store',
]);

/** natter writes the first four itself; the others would change an object's prototype. */
const refusedNames: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'max_tokens',
  'stream',
  '__proto__',
  'constructor',
  'prototype',
]);

/** Parameters among the fields, and those in `params`. A null field is absent; a null in `params` is sent. */
function parametersOf(fields: ItemFields): Pick<ItemContent, 'params'> | Problem {
  const given = Object.entries(fields).filter(([, value]) => value !== null);
  const unknown = given.find(([name]) => !itemNames.has(name) && !parameterNames.has(name));
  if (unknown !== undefined) {
    const name = JSON.stringify(unknown[0]);
    return { problem: `has the unknown field ${name} (use params for other request fields)` };
  }
  const params = fields['params'] ?? {};
  if (!isJsonObject(params)) return { problem: 'has params that is not a JSON object' };
  const parameters = given.filter(([name]) => parameterNames.has(name));
  const refused = Object.keys(params).find((name) => name === '' || refusedNames.has(name));
  if (refused !== undefined) {
    return { problem: `has ${JSON.stringify(refused)} in params, which cannot be set there` };
  }
  const repeated = parameters.find(([name]) => Object.hasOwn(params, name));
  if (repeated !== undefined)
    return { problem: `has ${repeated[0]} both as a field and in params` };
  const all = [...Object.entries(params), ...parameters];
  return all.length === 0 ? {} : { params: Object.fromEntries(all) };
}

/** Maximum digits of a number in a message. */
const maxDigits = 40;

/** Refuses numbers that parsing would change, in the fields that the item uses. */
function inexactNumber(text: string, template: Template | undefined): Problem | undefined {
  const isUsed = (field: string | undefined) =>
    template === undefined || field === 'id' || template.names.includes(field ?? '');
  for (const { text: number, field } of inexactNumbers(text)) {
    if (!isUsed(field)) continue;
    const shown = number.length > maxDigits ? `${number.slice(0, maxDigits)}…` : number;
    return { problem: `has the number ${shown} in "${field}", which natter cannot send unchanged` };
  }
  return undefined;
}

/** The content of an item in JSON lines; unlike in a table, an unknown field is a problem. @param text its JSON */
export function jsonItemContent(
  text: string,
  fields: ItemFields,
  template: Template | undefined,
): ItemContent | Problem {
  const inexact = inexactNumber(text, template);
  if (inexact !== undefined) return inexact;
  const content = itemContent(fields, template);
  if (template !== undefined || 'problem' in content) return content;
  const parameters = parametersOf(fields);
  return 'problem' in parameters ? parameters : { ...content, ...parameters };
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

/** What is wrong with a request beside its body. */
function requestProblem({ custom_id: id, method, url, body }: JsonObject): string | undefined {
  if (filledText(id) === undefined) return 'has no custom_id';
  if (method !== 'POST') return `has ${named('method', method)}; natter sends only "POST"`;
  if (typeof url !== 'string' || !completionsPath.test(url)) {
    return `has ${named('url', url)}; natter sends only to "${requestUrl}"`;
  }
  return isJsonObject(body) ? undefined : 'has no body that is a JSON object';
}

const maxShown = 60;

function shownValue(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}

const named = (name: string, value: unknown) =>
  value === undefined ? `no ${name}` : `the ${name} ${shownValue(value)}`;

/** A message with any content, such as parts with images, or none beside tool calls. */
function isAnyMessage(value: unknown): value is Message {
  return isJsonObject(value) && filledText(value['role']) !== undefined;
}

function bodyContent({ messages, stream, ...body }: JsonObject): ItemContent | Problem {
  if (!Array.isArray(messages) || messages.length === 0 || !messages.every(isAnyMessage)) {
    return { problem: 'has a body without messages, a list of {role, content}' };
  }
  if (!isAbsent(stream) && typeof stream !== 'boolean') {
    return { problem: 'has stream that is neither true nor false in its body' };
  }
  const { model, max_tokens: maxTokens, ...others } = body;
  const settings = settingsOf({ model, max_tokens: maxTokens });
  if ('problem' in settings) return settings;
  const refused = Object.keys(others).find((name) => name === '' || refusedNames.has(name));
  if (refused !== undefined) return { problem: `has ${shownValue(refused)} in its body` };
  return {
    messages,
    ...settings,
    ...(typeof stream === 'boolean' ? { stream } : {}),
    ...(Object.keys(others).length === 0 ? {} : { params: others }),
  };
}

/** The item of a request; its id is the `custom_id`. @param text its JSON */
export function requestItem(
  text: string,
  fields: JsonObject,
): { readonly id: string | undefined; readonly content: ItemContent | Problem } {
  const id = filledText(fields['custom_id']);
  const problem = requestProblem(fields);
  if (problem !== undefined) return { id, content: { problem } };
  const inexact = inexactNumber(text, undefined);
  if (inexact !== undefined) return { id, content: inexact };
  return { id, content: bodyContent(fields['body'] as JsonObject) };
}
