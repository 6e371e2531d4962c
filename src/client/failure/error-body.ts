import { decodeHTMLStrict } from 'entities/decode';
import {
  definedFields,
  filledText,
  firstField,
  isJsonObject,
  type JsonObject,
  parseAnyJson,
} from '../../json.ts';
import { errorNames, nameOfStatus, type ErrorName } from '../contract.ts';
import { windowFields } from '../models/model-description.ts';

const maxLength = 500;

/** Replaces each secret in a text with a mark. */
export type Mask = (text: string) => string;

/**
 * Makes text from the service a part of one line: white space collapsed, cut after 500 characters. Secrets are masked
 * before the cut, because a part of one would not be recognised.
 */
export function shortText(text: string, mask: Mask): string {
  const line = mask(text)
    .slice(0, maxLength * 4)
    .replace(/\s+/g, ' ')
    .trim();
  if (line.length <= maxLength) return line;
  return `${line.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** What a service reported about an error; fields are absent where the body has nothing readable. */
export interface ErrorBody {
  /** Machine-readable names, such as `rate_limited`, the most specific first. */
  readonly names: readonly string[];
  readonly status?: number;
  /** One line of at most 500 characters; masked, not sanitized. */
  readonly message?: string;
  /** The window in tokens, if it has a field of its own: llama.cpp names it `n_ctx`. */
  readonly contextWindow?: number;
}

const emptyBody: ErrorBody = { names: [] };
const nameFields = ['name', 'code', 'status', 'type', 'error', 'error_code', 'errorCode'];
const statusFields = ['status', 'code', 'status_code', 'statusCode', 'error_code'];
const messageFields = [
  'message',
  'detail',
  'details',
  'msg',
  'error_description',
  'description',
  'error_message',
  'error_msg',
  'reason',
  'title',
  'error',
  'errors',
];

/** Services seldom nest an error in an error, and never deeper than this. */
const maxDepth = 4;
const maxMessages = 3;

/** Generic names such as `error` say nothing. */
const namePattern = /^(?!(?:error|fail|failed|failure)$)[a-z][\w.-]{0,63}$/i;

const isName = (value: unknown): value is string =>
  typeof value === 'string' && namePattern.test(value);

function readStatus(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number)) return undefined;
  return number >= 400 && number <= 599 ? number : undefined;
}

const readTokens = (value: unknown) =>
  Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : undefined;

function readMessage(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  if (depth >= maxDepth) return undefined;
  if (Array.isArray(value)) {
    const messages = value.slice(0, maxMessages).map((item) => readMessage(item, depth + 1));
    const found = messages.filter((message) => message !== undefined);
    return found.length === 0 ? undefined : found.join('; ');
  }
  if (!isJsonObject(value)) return undefined;
  const message = firstField([value], messageFields, (field) => readMessage(field, depth + 1));
  if (message === undefined) return undefined;
  const { loc, metadata } = value;
  // FastAPI reports a location: `[{loc: ['body', 'messages'], msg: 'Field required'}]`.
  const list: readonly unknown[] = Array.isArray(loc) ? loc : [];
  // Joining nested lists would overflow the stack.
  const names = list.filter((name) => typeof name === 'string' || typeof name === 'number');
  // OpenRouter forwards the reason of a provider; its own message is only "Provider returned error".
  const reason = isJsonObject(metadata) ? filledText(metadata['raw']) : undefined;
  const parts = [names.join('.') || undefined, message, reason];
  return parts.filter((part) => part !== undefined).join(': ');
}

/** Returns the record and the errors nested in it, innermost first: those are more specific. */
function nestedRecords(value: unknown, depth = 0): JsonObject[] {
  if (depth >= maxDepth) return [];
  if (Array.isArray(value)) return nestedRecords(value[0], depth + 1);
  if (!isJsonObject(value)) return [];
  const inner = ['error', 'errors', 'detail'].flatMap((field) =>
    nestedRecords(value[field], depth + 1),
  );
  return [...inner, value];
}

/** Reads an error from parsed JSON of any shape: `{error: {…}}`, flat, a string, a list, numeric codes. */
export function readErrorValue(value: unknown, mask: Mask): ErrorBody {
  const records = nestedRecords(value);
  const names = records.flatMap((record) =>
    nameFields.map((field) => record[field]).filter(isName),
  );
  const message = readMessage(value);
  return {
    names: [...new Set(names)],
    ...definedFields({
      status: firstField(records, statusFields, readStatus),
      message: message === undefined ? undefined : shortText(message, mask),
      contextWindow: firstField(records, windowFields, readTokens),
    }),
  };
}

/**
 * Reads the body of a failed request: JSON of any shape, an HTML page (its title, else the start of its text), or plain
 * text. `contentType` decides only where the text is ambiguous. Never throws.
 */
export function parseErrorBody(
  text: string,
  contentType: string | undefined,
  mask: Mask,
): ErrorBody {
  const start = text.trimStart();
  if (start === '') return emptyBody;
  if (start.startsWith('<') || contentType?.toLowerCase().includes('html') === true) {
    const shown = pageText(start);
    return shown.trim() === '' ? emptyBody : { names: [], message: shortText(shown, mask) };
  }
  const value = parseAnyJson(start);
  if (value !== undefined) return readErrorValue(value, mask);
  // Malformed JSON is not a message for people.
  return /^[{["]/.test(start) ? emptyBody : { names: [], message: shortText(start, mask) };
}

/** The characters of a page that are shown: enough for the sentence or two of a gateway. */
const maxPageText = 200;

/** Returns what messages show of an HTML page: its title, else the start of its text. */
function pageText(page: string): string {
  const [, title = ''] = /<title[^>]{0,200}>([^<]*)</i.exec(page) ?? [];
  if (title.trim() !== '' || /^\s*<\?xml/i.test(page)) return decodeHTMLStrict(title);
  const text = page
    .replace(/<(script|style)\b[^]*?(?:<\/\1>|$)|<!--[^]*?(?:-->|$)/gi, ' ')
    .replace(/<[^<>]*>?/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return decodeHTMLStrict(
    text.length > maxPageText ? `${text.slice(0, maxPageText).trimEnd()}…` : text,
  );
}

/** The names of OpenAI and Groq, of Mistral, and of Azure for an unknown model. */
const unknownModelName =
  /^(?:model_?not_?(?:found|exists?)|(?:unknown|invalid|no_such)_?model|deploymentnotfound)$/i;

const missing = String.raw`(?:not (?:be )?(?:found|exist|available)|(?:does not|doesn't) exist|is unknown)\b`;
/** Messages of DeepSeek, Ollama, vLLM and Gemini: `Model Not Exist`, `model 'x' not found`, `models/x is not found`. */
const missingModel = new RegExp(String.raw`\bmodels?\b\S*(?: \S+){0,3}? ${missing}`, 'i');
/**
 * Messages of Mistral, OpenRouter and LiteLLM: `Invalid model: x`, `x is not a valid model ID`, `Invalid model name
 * passed`.
 */
const invalidModel =
  /\b(?:invalid|unknown|unrecognized|no such|not a valid) model\b(?=$| (?:name|id|identifier)\b|[^\w ]| ['"`])/i;

/** How a failure describes a model that the service does not know, whatever the status. */
export const unknownModel = {
  summary: 'the service does not know this model',
  remedy: { code: 'choose-model' },
} as const;

/**
 * Whether the service refuses the request because it does not know the model, which services report with many statuses.
 * @param model that was sent; a text that names it needs no word "model"
 */
export function refusesModel({ names, message = '' }: ErrorBody, model?: unknown): boolean {
  if (names.some((name) => unknownModelName.test(name))) return true;
  if (missingModel.test(message) || invalidModel.test(message)) return true;
  if (typeof model !== 'string' || model === '' || !message.includes(model)) return false;
  const rest = message.slice(message.indexOf(model) + model.length);
  return new RegExp(String.raw`^["'\`]? (?:(?:is|was|could) )?${missing}`, 'i').test(rest);
}

/** An excess over the window (`exceeded by 1,200 tokens`) is enough. */
const tooLong =
  /context.?(?:length|window|size)|(?:prompt|input|request) (?:is )?too (?:long|large)|too many (?:input )?tokens|maximum number of tokens|\b(?:exceed\w*|over)(?: \w+){0,4} by [\d,]+ tokens/i;

/** Whether the service refuses the request because of its length. */
export const refusesLength = ({ names, message = '', contextWindow }: ErrorBody): boolean =>
  contextWindow !== undefined || [...names, message].some((text) => tooLong.test(text));

/** The kinds of statuses outside the contract that do not follow their class (4xx, 5xx). */
const otherStatuses: Readonly<Record<number, ErrorName>> = {
  402: 'forbidden',
  408: 'server_error',
};

/** Returns the kind of an error with this HTTP status, in the response or in the body. */
export function kindOfStatus(status: number): ErrorName {
  const isClientError = status >= 400 && status < 500;
  return (
    nameOfStatus(status) ??
    otherStatuses[status] ??
    (isClientError ? 'invalid_request' : 'server_error')
  );
}

/** Finds the contract's error of that name, in upper or lower case. */
export function kindOfName(name: string | undefined): ErrorName | undefined {
  return Object.values(errorNames).find((known) => known === name?.toLowerCase());
}
