import { once } from 'node:events';
import type { AnswerFinished, ChatEvent } from '../../client/events.ts';
import { deltasOf, engineEnding, engineFailure } from '../engine.ts';
import type { Exchange } from '../exchange.ts';
import { countTokens } from '../token-counter.ts';
import { closingPayloads, createPayloads } from './chunk-payloads.ts';
import { writeEventHead } from './event-answer.ts';
import { afterAnswer } from './interruptions.ts';

/** An engine's answer to one request, and what the sandbox adds to it. */
export interface ForwardedAnswer {
  /** A promise of `take` delays the next event. */
  readonly send: (take: (event: ChatEvent) => Promise<void> | void) => Promise<void>;
  /** Without characters that JSON escapes. */
  readonly id: string;
  /** Used if the engine reports none. */
  readonly promptTokens: number;
}

function joinEvents(payloads: Iterable<string>): string {
  let text = '';
  for (const payload of payloads) text += `data: ${payload}\n\n`;
  return text;
}

/** Characters that JSON escapes, but for lone surrogates, which a client's events do not have, and others up to U+009F. */
const escaped = /[^ !#-[\]-~\u00a0-\uffff]/;

const escape = (text: string) => JSON.stringify(text).slice(1, -1);

const probe = 'probe';

/** An event of text: what is before its id, between that and its text, and after its text. */
type EventParts = readonly [start: string, middle: string, end: string];

function partsOf(payload: string): EventParts {
  const [start = '', rest = ''] = joinEvents([payload]).split(probe);
  const place = rest.lastIndexOf('""') + 1;
  return [start, rest.slice(0, place), rest.slice(place)];
}

/** The JSON is made once for all answers. */
const payloads = createPayloads({ id: probe, ending: () => engineEnding(undefined, 0, 0) }, {});
const firstParts = partsOf(payloads.text(''));
const otherParts = partsOf(payloads.text(''));

const notAscii = /[^\0-\x7f]/;

/** A chunk of the body (RFC 9112, section 7.1). */
function chunkOf(text: string, isAscii: boolean): string {
  const size = isAscii ? text.length : Buffer.byteLength(text);
  return `${size.toString(16)}\r\n${text}\r\n`;
}

const lastChunk = '0\r\n\r\n';

/** Writes the answer's events; a promise while the client is slow. */
class ForwardedWriter {
  readonly #exchange: Exchange;
  readonly #answer: ForwardedAnswer;
  #hasText = false;
  #tokens = 0;
  #finished: AnswerFinished | undefined;
  /** Undefined before the head. */
  #isChunked: boolean | undefined;

  constructor(exchange: Exchange, answer: ForwardedAnswer) {
    this.#exchange = exchange;
    this.#answer = answer;
  }

  async forward(): Promise<void> {
    const { signal } = this.#exchange;
    try {
      await this.#answer.send((event) => this.#take(event));
    } catch (error) {
      throw engineFailure(error);
    }
    signal.throwIfAborted();
    const { id, promptTokens } = this.#answer;
    const ending = () => engineEnding(this.#finished, promptTokens, this.#tokens);
    const closing = [...closingPayloads({ id, ending }, this.#hasText)];
    this.#write(joinEvents(closing), true, closing.length, lastChunk);
  }

  #take(event: ChatEvent): Promise<void> | void {
    const { response, signal } = this.#exchange;
    if (event.type === 'answer-finished') this.#finished = event;
    const deltas = deltasOf(event);
    if (deltas.length === 0 || !('text' in event)) return undefined;
    signal.throwIfAborted();
    for (const delta of deltas) this.#tokens += countTokens(delta);
    const texts = escaped.test(event.text) ? deltas.map(escape) : deltas;
    const isAscii = !notAscii.test(event.text);
    if (this.#write(this.#joinTexts(texts), isAscii, deltas.length)) return undefined;
    return once(response, 'drain', { signal }).then(() => undefined);
  }

  /** The events of texts, joined with what is between them, which is the same. */
  #joinTexts(texts: readonly string[]): string {
    const { id } = this.#answer;
    const [firstStart, firstMiddle] = this.#hasText ? otherParts : firstParts;
    const [start, middle, end] = otherParts;
    this.#hasText = true;
    const between = `${end}${start}${id}${middle}`;
    return `${firstStart}${id}${firstMiddle}${texts.join(between)}${end}`;
  }

  /** @param isAscii known of the texts, because to search all of the events takes ten times as long */
  #write(text: string, isAscii: boolean, events: number, end = ''): boolean {
    const { record, response } = this.#exchange;
    this.#isChunked ??= this.#writeHead();
    record.events += events;
    const bytes = this.#isChunked ? chunkOf(text, isAscii) + end : text;
    return response.write(bytes, isAscii ? 'latin1' : 'utf8');
  }

  /** @returns whether the body is chunked. Node would write each chunk in four parts, which takes longer. */
  #writeHead(): boolean {
    const { response } = this.#exchange;
    writeEventHead(this.#exchange);
    const { chunkedEncoding } = response;
    response.chunkedEncoding = false;
    return chunkedEncoding;
  }
}

/**
 * Sends an engine's answer as a stream without faults: what the engine delivers at once is one write. The head is sent
 * with the first text.
 * @throws Failure of a kind in the contract, or the signal's reason
 */
export async function forwardAnswer(exchange: Exchange, answer: ForwardedAnswer): Promise<void> {
  await new ForwardedWriter(exchange, answer).forward();
  afterAnswer(exchange, () => void exchange.response.end());
}
