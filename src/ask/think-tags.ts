// Some servers pass the reasoning of a model on as text of the answer, in `<think>…</think>` at its start.

import type { Client } from '../client/client.ts';
import type { ChatEvent, TextReceived } from '../client/events.ts';

const openingTag = '<think>';
const closingTag = '</think>';

const textEvent = (text: string): TextReceived => ({ type: 'text-received', text, deltas: [text] });
const reasoningEvent = (text: string, received: string): ChatEvent => ({
  type: 'reasoning-received',
  text,
  received,
});

/** The length of the end of a text that may be the start of the closing tag. */
function tagStartLength(text: string): number {
  let length = Math.min(closingTag.length - 1, text.length);
  while (!closingTag.startsWith(text.slice(text.length - length))) length -= 1;
  return length;
}

/** Divides the text of one answer into reasoning and answer. */
class TextDivider {
  #state: 'start' | 'thinking' | 'thought' | 'answer' = 'start';
  /** Text that is not passed on yet. */
  #held = '';
  /** The reasoning with its tags. */
  #thought = '';

  divide(event: TextReceived): readonly ChatEvent[] {
    if (this.#state === 'answer') return [event];
    this.#held += event.text;
    if (this.#state === 'start') this.#openReasoning();
    const reasoning = this.#state === 'thinking' ? this.#takeReasoning() : [];
    return [...reasoning, ...this.#takeText(event)];
  }

  /** The text that is left at the end. Reasoning without an answer is the answer, so that nothing is lost. */
  end(): readonly ChatEvent[] {
    if (this.#state === 'answer') return [];
    this.#state = 'answer';
    const rest = this.#thought + this.#held;
    return rest === '' ? [] : [textEvent(rest)];
  }

  #openReasoning(): void {
    const start = this.#held.trimStart();
    if (start.startsWith(openingTag)) this.#state = 'thinking';
    else if (!openingTag.startsWith(start)) this.#state = 'answer';
  }

  #takeReasoning(): readonly ChatEvent[] {
    const held = this.#held;
    const isFirst = this.#thought === '';
    const start = isFirst ? held.indexOf(openingTag) + openingTag.length : 0;
    const end = held.indexOf(closingTag, start);
    const isClosed = end !== -1;
    const textEnd = isClosed ? end : held.length - tagStartLength(held.slice(start));
    const text = held.slice(start, textEnd);
    if (text === '' && !isClosed) return [];
    const received = held.slice(0, isClosed ? end + closingTag.length : textEnd);
    this.#held = held.slice(received.length);
    this.#thought += received;
    if (isClosed) this.#state = 'thought';
    return [reasoningEvent(text, received)];
  }

  /** The text that follows; blank lines between reasoning and answer are part of neither. */
  #takeText(event: TextReceived): readonly ChatEvent[] {
    const held = this.#held;
    if (this.#state === 'answer') {
      this.#held = '';
      return [held === event.text ? event : textEvent(held)];
    }
    const text = held.trimStart();
    if (this.#state !== 'thought' || text === '') return [];
    this.#state = 'answer';
    const blank = held.slice(0, held.length - text.length);
    return [...(blank === '' ? [] : [reasoningEvent('', blank)]), textEvent(text)];
  }
}

/** The events of an answer; what is in `<think>…</think>` at the start of its text is reasoning. */
export async function* divideReasoning(
  events: AsyncIterable<ChatEvent>,
): AsyncGenerator<ChatEvent, void> {
  const divider = new TextDivider();
  try {
    for await (const event of events) {
      if (event.type === 'text-received') yield* divider.divide(event);
      else {
        if (event.type === 'answer-finished') yield* divider.end();
        yield event;
      }
    }
  } catch (error) {
    yield* divider.end();
    throw error;
  }
}

/** The client, whose answers have no `<think>…</think>` at their start. */
export const withoutThinkTags = (client: Client): Client => ({
  ...client,
  chat: (request, options) => divideReasoning(client.chat(request, options)),
});
