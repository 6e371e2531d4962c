// Some servers pass the reasoning of a model on as text of the answer, in `<think>…</think>` at its start.

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

/** The events of an answer; what is in `<think>…</think>` at the start of its text is reasoning. */
export async function* divideReasoning(
  events: AsyncIterable<ChatEvent>,
): AsyncGenerator<ChatEvent, void> {
  let state: 'start' | 'thinking' | 'thought' | 'answer' = 'start';
  /** Text that is not passed on yet. */
  let held = '';
  /** The reasoning that was passed on, with its tags. */
  let thought = '';

  function* divide(event: TextReceived): Generator<ChatEvent, void> {
    held += event.text;
    const start = held.trimStart();
    if (state === 'start' && start.startsWith(openingTag)) state = 'thinking';
    else if (state === 'start' && !openingTag.startsWith(start)) state = 'answer';
    if (state === 'thinking') yield* takeReasoning();
    // Blank lines between reasoning and answer are part of neither.
    const text = state === 'answer' ? held : held.trimStart();
    if (state !== 'answer' && (state !== 'thought' || text === '')) return;
    state = 'answer';
    const blank = held.slice(0, held.length - text.length);
    if (blank !== '') yield reasoningEvent('', blank);
    held = '';
    yield text === event.text ? event : textEvent(text);
  }
  function* takeReasoning(): Generator<ChatEvent, void> {
    const start = thought === '' ? held.indexOf(openingTag) + openingTag.length : 0;
    const close = held.indexOf(closingTag, start);
    const isClosed = close !== -1;
    const end = isClosed ? close : held.length - tagStartLength(held.slice(start));
    if (start === end && !isClosed) return;
    const received = held.slice(0, isClosed ? end + closingTag.length : end);
    yield reasoningEvent(held.slice(start, end), received);
    held = held.slice(received.length);
    thought += received;
    if (isClosed) state = 'thought';
  }
  /** Reasoning without an answer is the answer, so that nothing is lost. */
  function* takeRest(): Generator<ChatEvent, void> {
    const rest = thought + held;
    if (state !== 'answer' && rest !== '') yield textEvent(rest);
    state = 'answer';
  }

  try {
    for await (const event of events) {
      if (event.type === 'answer-finished') yield* takeRest();
      if (event.type === 'text-received') yield* divide(event);
      else yield event;
    }
  } catch (error) {
    yield* takeRest();
    throw error;
  }
}
