import { inexactNumbers, isJsonObject } from '../../json.ts';
import {
  itemContent,
  type ItemContent,
  type ItemFields,
  type Problem,
  type Template,
} from './item.ts';

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
export const refusedNames: ReadonlySet<string> = new Set([
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
export function inexactNumber(text: string, template: Template | undefined): Problem | undefined {
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
