import { catalogue } from '../client/contract.ts';
import { Failure } from '../failure.ts';
import { isJsonObject } from '../json.ts';

export interface Message {
  readonly role: (typeof roles)[number];
  readonly content: string;
}

/** A valid body of `POST /v1/chat/completions`. */
export interface CompletionBody {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly stream: boolean;
  readonly maxTokens: number | undefined;
}

/** The contract shows `user` and `assistant` and leaves the set open. */
const roles = ['system', 'user', 'assistant'] as const;
const parameters = ['model', 'messages', 'stream', 'max_tokens'];

const modelIds = catalogue.map(({ id }) => id);

function refuse(message: string): never {
  throw new Failure('invalid_request', message);
}

function refuseUnknown(record: object, known: readonly string[], what: string): void {
  const unknown = Object.keys(record).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const names = unknown.map((name) => `"${name}"`).join(', ');
  refuse(`unsupported ${what}${unknown.length > 1 ? 's' : ''}: ${names}`);
}

function checkMessage(value: unknown, index: number, isLenient: boolean): Message {
  const place = `messages[${index}]`;
  if (!isJsonObject(value)) return refuse(`${place} must be an object`);
  const { role, content } = value;
  if (role === undefined) refuse(`${place}.role is missing`);
  if (content === undefined) refuse(`${place}.content is missing`);
  if (typeof role !== 'string') return refuse(`${place}.role must be a string`);
  if (typeof content !== 'string') return refuse(`${place}.content must be a string`);
  const known = roles.find((name) => name === role);
  if (known === undefined) {
    return refuse(`${place}.role is "${role}"; the roles are ${roles.join(', ')}`);
  }
  if (!isLenient) refuseUnknown(value, ['role', 'content'], `field in ${place}`);
  return { role: known, content };
}

function checkModel(model: unknown): string {
  if (model === undefined) refuse('"model" is missing');
  if (typeof model !== 'string') return refuse('"model" must be a string');
  if (!modelIds.includes(model)) {
    throw new Failure('not_found', `no model "${model}"; the models are ${modelIds.join(', ')}`);
  }
  return model;
}

function checkMaxTokens(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value > 0) return value;
  return refuse('"max_tokens" must be an integer above 0');
}

/**
 * Checks a parsed body against the contract's field table: the types of the fields first, then the model.
 * @param isLenient ignores fields that are not in the table
 * @throws Failure `invalid_request`, or `not_found` for an unknown model
 */
export function checkCompletionBody(value: unknown, isLenient: boolean): CompletionBody {
  if (!isJsonObject(value)) return refuse('the request body must be a JSON object');
  const { model, messages, stream, max_tokens: maxTokens } = value;
  if (!isLenient) refuseUnknown(value, parameters, 'parameter');
  if (messages === undefined) refuse('"messages" is missing');
  if (!Array.isArray(messages)) return refuse('"messages" must be an array');
  if (messages.length === 0) refuse('"messages" must not be empty');
  if (stream !== undefined && typeof stream !== 'boolean') refuse('"stream" must be a boolean');
  return {
    messages: messages.map((message, index) => checkMessage(message, index, isLenient)),
    model: checkModel(model),
    stream: stream === true,
    maxTokens: checkMaxTokens(maxTokens),
  };
}

/** @throws Failure `invalid_request` when the prompt is larger than the model's window */
export function checkWindow(model: string, promptTokens: number): void {
  const window = catalogue.find(({ id }) => id === model)?.contextWindow ?? 0;
  if (promptTokens > window) {
    const numbers = `${promptTokens} tokens, over the ${window} of "${model}"`;
    throw new Failure('invalid_request', `the prompt does not fit the context window: ${numbers}`);
  }
}

/** The last user message of any JSON value, valid request or not. */
export function lastUserText(value: unknown): string | undefined {
  if (!isJsonObject(value) || !Array.isArray(value['messages'])) return undefined;
  const message: unknown = value['messages'].findLast(
    (candidate: unknown) => isJsonObject(candidate) && candidate['role'] === 'user',
  );
  const content = isJsonObject(message) ? message['content'] : undefined;
  return typeof content === 'string' ? content : undefined;
}
