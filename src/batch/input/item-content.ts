import { itemParameters } from './item-parameters.ts';
import type { ItemContent, ItemFields, Problem } from './item.ts';
import type { Template } from './template.ts';
import type { Message } from '../../client/contract.ts';
import { inexactNumbers, isJsonObject } from '../../json.ts';

const isAbsent = (value: unknown) => value === undefined || value === null;

const own = (fields: ItemFields, name: string) =>
  Object.hasOwn(fields, name) ? fields[name] : undefined;

/** Any role is let through: a service may know others than the contract shows. */
function isMessage(value: unknown): value is Message {
  if (!isJsonObject(value)) return false;
  const { role, content } = value;
  return typeof role === 'string' && role !== '' && typeof content === 'string';
}

function messagesOf({ prompt, messages }: ItemFields): readonly Message[] | Problem {
  if (!isAbsent(prompt) && !isAbsent(messages)) return { problem: 'has both prompt and messages' };
  if (isAbsent(messages)) {
    if (isAbsent(prompt)) return { problem: 'has no prompt' };
    const isText = typeof prompt === 'string' && prompt.trim() !== '';
    return isText ? [{ role: 'user', content: prompt }] : { problem: 'has a prompt without text' };
  }
  const isList = Array.isArray(messages) && messages.length > 0 && messages.every(isMessage);
  return isList ? messages : { problem: 'has messages that are not a list of {role, content}' };
}

interface OwnSettings {
  system?: string;
  model?: string;
  maxTokens?: number;
}

function ownSettings(fields: ItemFields): OwnSettings | Problem {
  const { system, model, max_tokens: maxTokens } = fields;
  const settings: OwnSettings = {};
  if (!isAbsent(system)) {
    if (typeof system !== 'string') return { problem: 'has a system prompt that is not text' };
    settings.system = system;
  }
  if (!isAbsent(model)) {
    if (typeof model !== 'string' || model === '')
      return { problem: 'has a model that is not text' };
    settings.model = model;
  }
  if (!isAbsent(maxTokens)) {
    const isCount = Number.isSafeInteger(maxTokens) && Number(maxTokens) > 0;
    if (!isCount) return { problem: 'has max_tokens that is not a whole number from 1' };
    settings.maxTokens = Number(maxTokens);
  }
  return settings;
}

/** Shown of a number. */
const mostDigits = 40;

const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

function filled(fields: ItemFields, template: Template): ItemContent | Problem {
  const missing = template.names.find((name) => isAbsent(own(fields, name)));
  if (missing !== undefined) return { problem: `has no "${missing}", required by the template` };
  const content = template.fill((name) => asText(own(fields, name)));
  if (content.trim() === '') return { problem: 'gives a prompt without text' };
  return { messages: [{ role: 'user', content }] };
}

/** Numbers that are changed when they are read: in the fields that the item uses. */
function changedNumber(text: string, template: Template | undefined): Problem | undefined {
  const isUsed = (field: string | undefined) =>
    template === undefined || field === 'id' || template.names.includes(field ?? '');
  for (const { text: number, field } of inexactNumbers(text)) {
    if (!isUsed(field)) continue;
    const shown = number.length > mostDigits ? `${number.slice(0, mostDigits)}…` : number;
    return { problem: `has the number ${shown} in "${field}", which natter cannot send unchanged` };
  }
  return undefined;
}

/** What an item of JSON lines asks, which was read from `text`: nothing that it says is left out. */
export function jsonItemContent(
  text: string,
  fields: ItemFields,
  template: Template | undefined,
): ItemContent | Problem {
  const changed = changedNumber(text, template);
  if (changed !== undefined) return changed;
  const content = itemContent(fields, template);
  if (template !== undefined || 'problem' in content) return content;
  const params = itemParameters(fields);
  return 'problem' in params ? params : { ...content, ...params };
}

/**
 * What an item asks. With a template its fields are values for that, whatever their names; without one the columns of a
 * table that have no meaning here are left out.
 */
export function itemContent(
  fields: ItemFields,
  template: Template | undefined,
): ItemContent | Problem {
  if (template !== undefined) return filled(fields, template);
  const messages = messagesOf(fields);
  if ('problem' in messages) return messages;
  const settings = ownSettings(fields);
  return 'problem' in settings ? settings : { messages, ...settings };
}

/** The name that the input gives an item. */
export function itemId({ id }: ItemFields): string | undefined {
  if (typeof id === 'string' && id !== '') return id;
  return typeof id === 'number' ? String(id) : undefined;
}
