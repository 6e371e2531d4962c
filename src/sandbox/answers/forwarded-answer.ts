import { once } from 'node:events';
import type { AnswerFinished, ChatEvent } from '../../client/events.ts';
import { deltasOf, engineEnding, engineFailure } from '../engine.ts';
import type { Exchange } from '../exchange.ts';
import { countTokens } from '../token-counter.ts';
import { createPayloads } from './chunk-payloads.ts';
import { writeEventHead } from './event-answer.ts';
import { afterAnswer } from './interruptions.ts';

/** An engine's answer to one request, and what the sandbox adds to it. */
export interface ForwardedAnswer {
  readonly events: AsyncIterable<ChatEvent>;
  readonly id: string;
  /** Used if the engine reports none. */
  readonly promptTokens: number;
}

function joinEvents(payloads: Iterable<string>): string {
  let text = '';
  for (const payload of payloads) text += `data: ${payload}\n\n`;
  return text;
}

/** Characters that JSON escapes, but for lone surrogates, which a client's events do not have. */
const escaped = /["\\\p{Cc}]/u;

/** The events of texts. Texts without escapes are joined with what is between them, which is the same. */
function textEvents(deltas: readonly string[], payload: (text: string) => string): string {
  const [first = '', ...others] = deltas;
  if (others.length < 2 || escaped.test(others.join(''))) return joinEvents(deltas.map(payload));
  const begin = joinEvents([payload(first)]);
  const sample = `data: ${payload('')}\n\n`;
  const start = sample.lastIndexOf('""') + 1;
  const between = sample.slice(start) + sample.slice(0, start);
  return begin + sample.slice(0, start) + others.join(between) + sample.slice(start);
}

/**
 * Sends an engine's answer as a stream without faults: what the engine delivers at once is one write. The head is sent
 * with the first text.
 * @throws Failure of a kind in the contract, or the signal's reason
 */
export async function forwardAnswer(
  exchange: Exchange,
  { events, id, promptTokens }: ForwardedAnswer,
): Promise<void> {
  const { record, response, signal } = exchange;
  let tokens = 0;
  let finished: AnswerFinished | undefined;
  const ending = () => engineEnding(finished, promptTokens, tokens);
  const payloads = createPayloads({ id, ending }, {});
  const write = (text: string, count: number): boolean => {
    if (!response.headersSent) writeEventHead(exchange);
    record.events += count;
    return response.write(text);
  };
  try {
    for await (const event of events) {
      if (event.type === 'answer-finished') {
        finished = event;
        break;
      }
      const deltas = deltasOf(event);
      if (deltas.length === 0) continue;
      signal.throwIfAborted();
      for (const delta of deltas) tokens += countTokens(delta);
      const isWritable = write(textEvents(deltas, payloads.text), deltas.length);
      if (!isWritable) await once(response, 'drain', { signal });
    }
  } catch (error) {
    throw engineFailure(error);
  }
  signal.throwIfAborted();
  const closing = [...payloads.closing()];
  write(joinEvents(closing), closing.length);
  afterAnswer(exchange, () => void response.end());
}
