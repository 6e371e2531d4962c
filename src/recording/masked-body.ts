import { isUtf8 } from 'node:buffer';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { findError } from '../client/failure/service-failure.ts';
import { LineDecoder } from '../client/stream/answer-reader.ts';
import { bodyForm } from '../client/stream/body-reader.ts';
import { answerChoice, readChunk } from '../client/stream/completion-chunk.ts';
import { isJsonObject, type JsonObject, parseAnyJson } from '../json.ts';
import { createMaskedStream, type SecretFilter } from '../secrets/secret-filter.ts';

/** Bytes of a body, with the time of their read. */
export interface BodyRead {
  readonly bytes: Uint8Array;
  readonly at: number;
}

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

/** The chunk in an event; undefined for an error, `[DONE]` and anything else. */
function chunkOf({ event, data }: EventSourceMessage): JsonObject | undefined {
  const value = event === 'error' ? undefined : parseAnyJson(data);
  return isJsonObject(value) ? value : undefined;
}

/**
 * Masks events as the client reads them: a text continues from event to event, in whatever way a service spells it.
 * Without a secret in these texts, the bytes are masked instead.
 */
function maskEvents(body: Buffer, filter: SecretFilter): Buffer {
  const decoder = new LineDecoder();
  const events: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => events.push(event) });
  parser.feed(decoder.decode(body) + decoder.end());
  const whole = events.length;
  // The client also reads a last event without a blank line.
  parser.feed('\n\n');
  const chunks = events.map(chunkOf);
  const contents = chunks.map((chunk) => chunk && readChunk(chunk));
  const texts = eachText((channel) => contents.map((content) => content?.[channel]).join(''));
  if (
    isSame(
      eachText((channel) => filter.mask(texts[channel])),
      texts,
    )
  ) {
    return maskBytes(body, filter);
  }
  const last = chunks.findLastIndex((chunk) => chunk !== undefined);
  const streams = eachText(() => createMaskedStream(filter));
  const masked = events.map(({ event, data }, index) => {
    const [chunk, content] = [chunks[index], contents[index]];
    if (chunk !== undefined && content !== undefined) {
      const shown = eachText((channel) => {
        const text = streams[channel].write(content[channel]);
        return index === last ? text + streams[channel].end() : text;
      });
      if (!isSame(shown, content)) return `data: ${writeChunk(chunk, shown, filter)}`;
    }
    const lines = filter.mask(data).replaceAll(/^/gm, 'data: ');
    return event === undefined ? lines : `event: ${event}\n${lines}`;
  });
  const end = events.length > whole ? '' : '\n\n';
  return Buffer.from(masked.join('\n\n') + end);
}

/** Masks the body of a response before it is recorded. Without a secret, its reads stay as they were. */
export function maskReads(
  reads: readonly BodyRead[],
  contentType: string | undefined,
  filter: SecretFilter,
): readonly BodyRead[] {
  const body = Buffer.concat(reads.map(({ bytes }) => bytes));
  // The client skips blank lines before an answer, too.
  const head = new TextDecoder().decode(body).replace(/^(?:\s*\n)+/, '');
  const isStream = bodyForm(head, contentType, true) === 'event-stream';
  const masked = isStream ? maskEvents(body, filter) : maskWhole(body, filter);
  const at = reads.at(-1)?.at ?? 0;
  return masked.equals(body) ? reads : [{ bytes: masked, at }];
}
