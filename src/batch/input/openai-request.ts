// A line of an OpenAI batch input file: {"custom_id", "method", "url", "body"}.

import type { Message } from '../../client/contract.ts';
import { filledText, isJsonObject, type JsonObject } from '../../json.ts';
import { isAbsent, settingsOf, type ItemContent, type Problem } from './item.ts';
import { inexactNumber, refusedNames } from './json-item.ts';

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

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}

const named = (name: string, value: unknown) =>
  value === undefined ? `no ${name}` : `the ${name} ${shown(value)}`;

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
  if (refused !== undefined) return { problem: `has ${shown(refused)} in its body` };
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
