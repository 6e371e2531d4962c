import { isUtf8 } from 'node:buffer';
import { catalogue, type CompletionRequest, type Message } from '../client/contract.ts';
import { Failure } from '../failure.ts';
import { locatedProblem, parseJson, isJsonObject } from '../json.ts';
import type { Exchange } from './exchange.ts';

/** Bytes: several times the larger window. The contract states no size. */
const maxBody = 32 * 1024 * 1024;

/** Reads the whole body. Node discards the rest of a refused one. @throws Failure `invalid_request` if it is too large */
export async function readBody({ request, response }: Exchange): Promise<Buffer> {
  const problem = `the request body exceeds the limit of ${maxBody} bytes`;
  const tooLarge = new Failure('invalid_request', problem);
  if (Number(request.headers['content-length']) > maxBody) throw tooLarge;
  if (/100-continue/i.test(request.headers.expect ?? '')) response.writeContinue();
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    const take = (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= maxBody) return;
      // Without this listener, the body still flows, and is lost.
      request.off('data', take);
      chunks.length = 0;
      reject(tooLarge);
    };
    request.on('data', take);
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('close', () => reject(new Error('the connection was closed')));
  });
}

/** A JSON value, or the reason why a body is not JSON. */
export interface ParsedBody {
  readonly value?: unknown;
  readonly problem?: string;
}

/** Never throws: the problem is reported only if the rest of the request is valid. Excess nesting is not parsed. */
export function parseBody(bytes: Buffer): ParsedBody {
  if (bytes.length === 0) return { problem: 'the request body is empty' };
  if (!isUtf8(bytes)) return { problem: 'the request body is not UTF-8' };
  const text = bytes.toString();
  const value = parseJson(text);
  if (value !== undefined) return { value };
  return { problem: `the request body ${locatedProblem(text)}` };
}

/** The contract shows `user` and `assistant` and leaves the set open. */
const roles = ['system', 'user', 'assistant'] as const;
const parameters = ['model', 'messages', 'stream', 'max_tokens'];

const modelIds = catalogue.map(({ id }) => id);

/** The failure of a request that names an unknown model. */
export const unknownModel = (id: string): Failure =>
  new Failure('not_found', `no model "${id}"; the models are ${modelIds.join(', ')}`);

function refuse(message: string): never {
  throw new Failure('invalid_request', message);
}

/** The text of a required field. @param place the field in messages */
function requireText(value: unknown, place: string): string {
  if (value === undefined) refuse(`${place} is missing`);
  return typeof value === 'string' ? value : refuse(`${place} must be a string`);
}

function refuseUnknown(record: object, known: readonly string[], what: string): void {
  const unknown = Object.keys(record).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const names = unknown.map((name) => `"${name}"`).join(', ');
  refuse(`unsupported ${what}${unknown.length > 1 ? 's' : ''}: ${names}`);
}

/** Joins the parts of a content, if all are text: many clients send `[{"type": "text", "text": "…"}]`. */
function joinTextParts(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  const texts = content.map((part: unknown) =>
    isJsonObject(part) && part['type'] === 'text' ? part['text'] : undefined,
  );
  return texts.every((text) => typeof text === 'string') ? texts.join('') : content;
}

function checkMessage(value: unknown, index: number, isLenient: boolean): Message {
  const place = `messages[${index}]`;
  if (!isJsonObject(value)) return refuse(`${place} must be an object`);
  const content = isLenient ? joinTextParts(value['content']) : value['content'];
  const role = isLenient && value['role'] === 'developer' ? 'system' : value['role'];
  const name = requireText(role, `${place}.role`);
  const text = requireText(content, `${place}.content`);
  const known = roles.find((one) => one === name);
  if (known === undefined) {
    return refuse(`${place}.role is "${name}"; the roles are ${roles.join(', ')}`);
  }
  if (!isLenient) refuseUnknown(value, ['role', 'content'], `field in ${place}`);
  return { role: known, content: text };
}

/**
 * Checks a parsed body against the contract's field table: the types of the fields first, then the model.
 * @param isLenient ignores fields that are not in the table, joins text parts, and takes "developer" for "system"
 * @throws Failure `invalid_request`, or `not_found` for an unknown model
 */
export function checkCompletionBody(value: unknown, isLenient: boolean): CompletionRequest {
  if (!isJsonObject(value)) return refuse('the request body must be a JSON object');
  const { messages, stream, max_tokens: maxTokens } = value;
  if (!isLenient) refuseUnknown(value, parameters, 'parameter');
  if (messages === undefined) refuse('"messages" is missing');
  if (!Array.isArray(messages)) return refuse('"messages" must be an array');
  if (messages.length === 0) refuse('"messages" must not be empty');
  if (stream !== undefined && typeof stream !== 'boolean') refuse('"stream" must be a boolean');
  const checked = messages.map((message, index) => checkMessage(message, index, isLenient));
  const model = requireText(value['model'], '"model"');
  if (!modelIds.includes(model)) throw unknownModel(model);
  const isCount = typeof maxTokens === 'number' && Number.isInteger(maxTokens) && maxTokens > 0;
  if (maxTokens !== undefined && !isCount) refuse('"max_tokens" must be an integer above 0');
  return {
    messages: checked,
    model,
    ...(stream === true && { stream }),
    ...(isCount && { max_tokens: maxTokens }),
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
  const content = isJsonObject(message) ? joinTextParts(message['content']) : undefined;
  return typeof content === 'string' ? content : undefined;
}
