import { isJsonObject } from '../../json.ts';
import type { ItemFields, Problem } from './item.ts';

/** Fields of an item that are more than a parameter of its request. */
const itemNames: ReadonlySet<string> = new Set([
  'id',
  'prompt',
  'messages',
  'system',
  'model',
  'max_tokens',
  'params',
]);

/** Request parameters that services of this wire format know; others are sent by way of `params`. */
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

/** natter writes them itself, or they would reach an object's prototype. */
const refusedNames: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'max_tokens',
  'stream',
  '__proto__',
  'constructor',
  'prototype',
]);

function unknownField(name: string): Problem {
  const quoted = JSON.stringify(name);
  return {
    problem: `has the unknown field ${quoted} (use params for other request fields)`,
  };
}

/**
 * What an item of JSON lines adds to the request body: the parameters it names, and all that is in its `params`. A
 * field that is `null` is absent; within `params` it is sent.
 */
export function itemParameters(
  fields: ItemFields,
): { readonly params?: Readonly<Record<string, unknown>> } | Problem {
  const said = Object.entries(fields).filter(([, value]) => value !== null);
  const unknown = said.find(([name]) => !itemNames.has(name) && !parameterNames.has(name));
  if (unknown !== undefined) return unknownField(unknown[0]);
  const params = fields['params'] ?? {};
  if (!isJsonObject(params)) return { problem: 'has params that is not a JSON object' };
  const named = said.filter(([name]) => parameterNames.has(name));
  const refused = Object.keys(params).find((name) => name === '' || refusedNames.has(name));
  if (refused !== undefined) {
    return { problem: `has ${JSON.stringify(refused)} in params, which cannot be set there` };
  }
  const repeated = named.find(([name]) => Object.hasOwn(params, name));
  if (repeated !== undefined) return { problem: `has ${repeated[0]} twice: also in params` };
  const all = [...Object.entries(params), ...named];
  return all.length === 0 ? {} : { params: Object.fromEntries(all) };
}
