import type { Client } from '../../client/client.ts';
import type {
  ChatEvent,
  ReasoningReceived,
  RefusalReceived,
  TextReceived,
} from '../../client/events.ts';
import { createMaskedStream, type MaskedStream } from '../../secrecy/masked-stream.ts';
import { maskValue } from '../../secrecy/mask-value.ts';
import type { SecretFilter } from '../../secrecy/secret-filter.ts';

type TextEvent = TextReceived | ReasoningReceived | RefusalReceived;

/** The first `length` characters of texts that follow one another. */
function firstOf(texts: readonly string[], length: number): readonly string[] {
  let left = length;
  return texts.flatMap((text) => {
    const first = text.slice(0, left);
    left -= first.length;
    return first === '' ? [] : [first];
  });
}

/** The fragments stay as the service sent them unless a secret is in them. */
function maskTextEvent(event: TextEvent, stream: MaskedStream): TextEvent {
  const before = stream.held();
  const text = stream.write(event.text);
  if (event.type !== 'text-received') return { ...event, text };
  const after = stream.held();
  if (text === event.text && before === after) return event;
  const { length } = before + event.text;
  const isWhole = (before + event.text).slice(0, length - after.length) === text;
  const deltas = isWhole ? firstOf([before, ...event.deltas], text.length) : [text];
  return { ...event, text, deltas };
}

function createChannels(filter: SecretFilter) {
  const streams = {
    'reasoning-received': createMaskedStream(filter),
    'text-received': createMaskedStream(filter),
    'refusal-received': createMaskedStream(filter),
  };
  return {
    mask: (event: TextEvent) => maskTextEvent(event, streams[event.type]),
    *end(): Generator<TextEvent, void> {
      const [reasoning, text, refusal] = Object.values(streams).map((stream) => stream.end());
      if (reasoning) yield { type: 'reasoning-received', text: reasoning };
      if (text) yield { type: 'text-received', text, deltas: [text] };
      if (refusal) yield { type: 'refusal-received', text: refusal };
    },
  };
}

async function* maskChat(
  events: AsyncIterable<ChatEvent>,
  filter: SecretFilter,
): AsyncGenerator<ChatEvent, void> {
  const channels = createChannels(filter);
  try {
    for await (const event of events) {
      switch (event.type) {
        case 'text-received':
        case 'reasoning-received':
        case 'refusal-received': {
          const masked = channels.mask(event);
          if (masked.text !== '') yield masked;
          break;
        }
        case 'answer-finished':
          yield* channels.end();
          yield maskValue(event, filter.mask);
          break;
        case 'answer-started':
        case 'answer-named':
          yield maskValue(event, filter.mask);
          break;
        case 'retry-scheduled':
          // The client masks its own failures.
          yield event;
      }
    }
  } catch (error) {
    yield* channels.end();
    throw error;
  }
}

/**
 * The client, with the secrets masked in everything that the service sends back, also those that come in pieces: what
 * is printed, kept and exported of an answer holds none.
 */
export function maskClient(client: Client, filter: () => SecretFilter | undefined): Client {
  const masked = <Value>(value: Value): Value => {
    const known = filter();
    return known === undefined ? value : maskValue(value, known.mask);
  };
  return {
    chat(request, options) {
      const known = filter();
      const events = client.chat(request, options);
      return known === undefined ? events : maskChat(events, known);
    },
    listModels: async (options) => masked(await client.listModels(options)),
    getModel: async (id, options) => masked(await client.getModel(id, options)),
    close: () => client.close(),
  };
}
