import { isUtf8 } from 'node:buffer';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { findError } from '../client/failure/service-failure.ts';
import { bodyForm, LineDecoder } from '../client/stream/answer-reader.ts';
import { answerChoice, readChunk } from '../client/stream/answer-parts.ts';
import { isJsonObject, type JsonObject, parseAnyJson } from '../json.ts';
import { createMaskedStream, type SecretFilter } from '../secrets/secret-filter.ts';

/** A blank line ends an event. */
const eventEnd = /(?:\r\n|\n|\r(?!\n)){2}/g;

/** The bytes of a text that has a character for each. */
const toBytes = (text: string) => Buffer.from(text, 'latin1');

const channels = ['text', 'reasoning', 'refusal'] as const;
type Texts = Record<(typeof channels)[number], string>;

function eachText<Value>(write: (channel: keyof Texts) => Value): Record<keyof Texts, Value> {
  return { text: write('text'), reasoning: write('reasoning'), refusal: write('refusal') };
}

const isSame = (one: Texts, other: Texts) =>
  channels.every((channel) => one[channel] === other[channel]);

/** Keys are ASCII, so an encoding that keeps all bytes suffices for bytes that are not UTF-8. */
function maskBytes(bytes: Buffer, filter: SecretFilter): Buffer {
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
  const text = bytes.toString(encoding);
  const masked = filter.mask(text);
  return masked === text ? bytes : Buffer.from(masked, encoding);
}

/** What the client reads of a chunk or of a whole completion, as a chunk with other texts. */
function writeChunk(value: JsonObject, texts: Texts, filter: SecretFilter): string {
  const { id, model, finishReason, usage, calledTools } = readChunk(value);
  const delta = {
    content: texts.text,
    reasoning_content: texts.reasoning,
    refusal: texts.refusal,
    ...(calledTools && { tool_calls: [{}] }),
  };
  const failed = findError(value, filter.mask);
  const error = failed && { name: failed.names[0], status: failed.status, message: failed.message };
  const choices = [{ index: 0, delta, finish_reason: finishReason }];
  return filter.mask(JSON.stringify({ id, model, choices, usage, error }));
}

function maskWhole(body: Buffer, filter: SecretFilter): Buffer {
  const value = parseAnyJson(new TextDecoder().decode(body));
  if (isJsonObject(value) && answerChoice(value['choices']) !== undefined) {
    const content = readChunk(value);
    const shown = eachText((channel) => filter.mask(content[channel]));
    if (!isSame(shown, content)) return Buffer.from(writeChunk(value, shown, filter));
  }
  return maskBytes(body, filter);
}

/**
 * Masks events as the client reads them: a text continues from event to event, in whatever way a service spells it.
 * Only events with a part of a secret change.
 */
function createEventMask(filter: SecretFilter) {
  const decoder = new LineDecoder();
  const found: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => found.push(event) });
  const streams = eachText(() => createMaskedStream(filter));

  /** An event with the end of the texts, which could have been the start of a secret. */
  function heldEvent(): string {
    const texts = eachText((channel) => streams[channel].end());
    if (channels.every((channel) => texts[channel] === '')) return '';
    return `data: ${writeChunk({}, texts, filter)}\n\n`;
  }

  /**
   * @param bytes one event, or comments and blank lines
   * @param isLast they are the end of the body: an event, whole or cut, without a blank line
   */
  return (bytes: Buffer, isLast: boolean): Buffer => {
    parser.feed(decoder.decode(bytes) + (isLast ? `${decoder.end()}\n\n` : ''));
    const event = found.pop();
    const isError = event?.event === 'error';
    const value = isError ? undefined : parseAnyJson(event?.data ?? '');
    if (!isJsonObject(value)) {
      const ends = isLast || isError || event?.data.trim() === '[DONE]';
      return Buffer.concat([Buffer.from(ends ? heldEvent() : ''), maskBytes(bytes, filter)]);
    }
    const ends = isLast || findError(value, filter.mask) !== undefined;
    const content = readChunk(value);
    const shown = eachText((channel) => {
      const text = streams[channel].write(content[channel]);
      return ends ? text + streams[channel].end() : text;
    });
    if (isSame(shown, content)) return maskBytes(bytes, filter);
    return Buffer.from(`data: ${writeChunk(value, shown, filter)}\n\n`);
  };
}

/**
 * Masks the body of a response before it is recorded: the stream of an answer event by event, and any other body as a
 * whole at its end.
 * @param write gets bytes with the time of the read in which they ended
 */
export function createMaskedBody(
  filter: SecretFilter,
  contentType: string | undefined,
  write: (bytes: Uint8Array, at: number) => void,
) {
  const maskEvent = createEventMask(filter);
  let form: ReturnType<typeof bodyForm>;
  /** What is not written yet, with a character for each byte: the start of an event, or a whole body. */
  let pending = '';
  let lastAt = 0;

  function findForm(isWhole: boolean): void {
    if (form !== undefined) return;
    // The client skips blank lines before an answer, too.
    const head = new TextDecoder().decode(toBytes(pending)).replace(/^\s*\n/, '');
    form = bodyForm(head, contentType, isWhole);
  }

  return {
    take(bytes: Uint8Array, at: number): void {
      lastAt = at;
      // The end of what was searched before may be the start of a blank line.
      eventEnd.lastIndex = form === undefined ? 0 : Math.max(0, pending.length - 3);
      pending += Buffer.from(bytes).toString('latin1');
      findForm(false);
      if (form !== 'event-stream') return;
      const masked: Buffer[] = [];
      let start = 0;
      for (const { index, 0: blank } of pending.matchAll(eventEnd)) {
        const end = index + blank.length;
        masked.push(maskEvent(toBytes(pending.slice(start, end)), false));
        start = end;
      }
      pending = pending.slice(start);
      if (masked.length > 0) write(Buffer.concat(masked), at);
    },
    end(): void {
      findForm(true);
      const rest = toBytes(pending);
      const masked = form === 'event-stream' ? maskEvent(rest, true) : maskWhole(rest, filter);
      if (masked.length > 0) write(masked, lastAt);
    },
  };
}
