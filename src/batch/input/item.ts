import type { Message } from '../../client/contract.ts';
import { definedFields, filledText, isJsonObject } from '../../json.ts';

/** `lines`: one prompt per line; `jsonl`: one JSON object per line, also OpenAI batch requests; `csv`, `tsv`: a table. */
export const inputFormats = ['lines', 'jsonl', 'csv', 'tsv'] as const;
export type InputFormat = (typeof inputFormats)[number];

export interface ItemPlace {
  /** The number from 1, over the whole input; blank lines are not counted. */
  readonly index: number;
  /** Its first line in the input, from 1. */
  readonly line: number;
  /** Undefined if the input gives none. */
  readonly id: string | undefined;
  /** Undefined unless the input is a table. */
  readonly row?: TableRow;
  /** The content as in the input, if more is sent. */
  readonly given?: ItemContent;
}

/** Fields of a line or row by name: JSON values, or the text of cells. */
export type ItemFields = Readonly<Record<string, unknown>>;

/** Thrown for an item that cannot be sent; the message is a predicate: `has no prompt`. */
export class ItemProblem extends Error {}

export function refuse(problem: string): never {
  throw new ItemProblem(problem);
}

/** What is sent for an item. Everything except the messages overrides the settings. */
export interface ItemContent {
  /** A prompt is a single user message. Messages of an OpenAI batch request may have any content. */
  readonly messages: readonly Message[];
  readonly system?: string;
  readonly model?: string;
  readonly maxTokens?: number;
  readonly stream?: boolean;
  /** More fields of the request body. */
  readonly params?: Readonly<Record<string, unknown>>;
}

/** A row of a table, as it is in the input. */
export interface TableRow {
  readonly header: readonly string[];
  /** Not necessarily as many as the header has. */
  readonly cells: readonly string[];
  readonly delimiter: string;
}

/** An item that can be sent. */
export interface BatchItem extends ItemPlace {
  readonly content: ItemContent;
  readonly problem?: never;
}

interface UnsendableItem extends ItemPlace {
  /** A predicate: `has no prompt`. */
  readonly problem: string;
  readonly content?: never;
}

export type InputItem = BatchItem | UnsendableItem;

const placeholder = /\{\{\s*(?<name>[^{}]+?)\s*\}\}/g;

/** A prompt with placeholders, `{{name}}`. Those in the inserted values are not replaced. */
export function parseTemplate(text: string) {
  const names = [...text.matchAll(placeholder)].map(({ groups }) => groups?.['name'] ?? '');
  return {
    names: [...new Set(names)],
    fill: (value: (name: string) => string) =>
      text.replaceAll(placeholder, (_, name: string) => value(name)),
  };
}

export type Template = ReturnType<typeof parseTemplate>;

export const isAbsent = (value: unknown) => value === undefined || value === null;

const ownField = (fields: ItemFields, name: string) =>
  Object.hasOwn(fields, name) ? fields[name] : undefined;

/**
 * Whether a value is a message with any content, such as parts with images, or none beside tool calls. Accepts any role,
 * because a service may have more than those of the contract.
 */
export const isAnyMessage = (value: unknown): value is Message =>
  isJsonObject(value) && filledText(value['role']) !== undefined;

const isMessage = (value: unknown): value is Message =>
  isAnyMessage(value) && typeof value.content === 'string';

/** @throws ItemProblem */
function messagesOf({ prompt, messages }: ItemFields): readonly Message[] {
  if (!isAbsent(prompt) && !isAbsent(messages)) refuse('has both prompt and messages');
  if (isAbsent(messages)) {
    if (isAbsent(prompt)) refuse('has no prompt');
    const isText = typeof prompt === 'string' && prompt.trim() !== '';
    return isText ? [{ role: 'user', content: prompt }] : refuse('has a prompt without text');
  }
  const isList = Array.isArray(messages) && messages.length > 0 && messages.every(isMessage);
  return isList ? messages : refuse('has messages that are not a list of {role, content}');
}

/** The fields that override settings. @throws ItemProblem */
export function settingsOf({ system, model, max_tokens: maxTokens }: ItemFields) {
  const isCount = Number.isSafeInteger(maxTokens) && Number(maxTokens) > 0;
  const isText = typeof system === 'string';
  const isModel = filledText(model) !== undefined;
  if (!isAbsent(system) && !isText) refuse('has a system prompt that is not text');
  if (!isAbsent(model) && !isModel) refuse('has a model that is not text');
  if (!isAbsent(maxTokens) && !isCount) refuse('has max_tokens that is not a whole number from 1');
  return definedFields({
    system: isText ? system : undefined,
    model: filledText(model),
    maxTokens: isCount ? Number(maxTokens) : undefined,
  });
}

const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/**
 * The content of an item. With a template, any field can be a value for it; without one, unknown columns of a table
 * are ignored.
 * @throws ItemProblem
 */
export function itemContent(fields: ItemFields, template: Template | undefined): ItemContent {
  if (template === undefined) return { messages: messagesOf(fields), ...settingsOf(fields) };
  const missing = template.names.find((name) => isAbsent(ownField(fields, name)));
  if (missing !== undefined) refuse(`has no "${missing}", required by the template`);
  const content = template.fill((name) => asText(ownField(fields, name)));
  if (content.trim() === '') refuse('results in a prompt without text');
  return { messages: [{ role: 'user', content }] };
}

/** The id in the fields; undefined if they have none. */
export function itemId({ id }: ItemFields): string | undefined {
  if (typeof id === 'string' && id !== '') return id;
  return typeof id === 'number' ? String(id) : undefined;
}
