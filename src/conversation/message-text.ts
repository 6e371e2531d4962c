import type { Message } from '../client/contract.ts';
import { isJsonObject } from '../json.ts';

/** The text of a content, which may also be a list of parts, or missing beside a tool call. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const texts = content.map((part: unknown) => (isJsonObject(part) ? part['text'] : undefined));
  return texts.filter((text) => typeof text === 'string').join('\n');
}

/** Messages of an OpenAI batch request, with the text of their contents only: for estimates and tables. */
export function textMessages(messages: readonly Message[]): readonly Message[] {
  return messages.map((message) => ({ ...message, content: textOf(message.content) }));
}
