import type { ChatEvent } from '../../client/events.ts';
import type { CheckedText } from './open-check.ts';

/** Passes the events on and collects their texts as the service sent them, before secrets are put back. */
export async function* withTap(
  events: AsyncIterable<ChatEvent>,
  texts: string[],
): AsyncGenerator<ChatEvent, void> {
  for await (const event of events) {
    if (event.type === 'text-received') texts.push(event.text);
    yield event;
  }
}

/** The value of `--select` (a text without its quotes), else of the whole answer; undefined if it does not conform. */
export function valueText({ found, selected }: Partial<CheckedText> = {}): string | undefined {
  if (selected?.startsWith('"') === true) return JSON.parse(selected) as string;
  return selected ?? found?.text;
}
