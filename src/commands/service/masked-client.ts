import type { Client } from '../../client/client.ts';
import type {
  ChatEvent,
  ReasoningReceived,
  RefusalReceived,
  TextReceived,
} from '../../client/events.ts';
import { createMaskedStream, type MaskedStream } from '../../secrecy/masked-stream.ts';
import { maskValue } from '../../secrecy/mask.ts';
import type { SecretFilter } from '../../secrecy/secret-filter.ts';

type TextEvent = TextReceived | ReasoningReceived | RefusalReceived;

const isText = (event: ChatEvent): event is TextEvent =>
  event.type === 'text-received' ||
  event.type === 'reasoning-received' ||
  event.type === 'refusal-received';

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

function textEvent(type: TextEvent['type'], text: string): TextEvent {
  return type === 'text-received' ? { type, text, deltas: [text] } : { type, text };
}

/** Masks each kind of text; an end that may begin a secret is held back until `release`, or text of a different kind. */
function createTextMask(filter: SecretFilter) {
  const streams = {
    'reasoning-received': createMaskedStream(filter),
    'text-received': createMaskedStream(filter),
    'refusal-received': createMaskedStream(filter),
  };
  let current: TextEvent['type'] | undefined;
  function* release(): Generator<TextEvent, void> {
    const text = current === undefined ? '' : streams[current].end();
    if (current !== undefined && text !== '') yield textEvent(current, text);
    current = undefined;
  }
  return {
    release,
    *write(event: TextEvent): Generator<TextEvent, void> {
      if (event.type !== current) yield* release();
      current = event.type;
      const masked = maskTextEvent(event, streams[event.type]);
      if (masked.text !== '') yield masked;
    },
  };
}

const metadata: ReadonlySet<string> = new Set(['id', 'model', 'finishReason', 'requestId']);

/** Masks only texts from the service: a secret that looks like a type or the name of a field must not change those. */
function maskMetadata<Event extends ChatEvent>(event: Event, { mask }: SecretFilter): Event {
  const fields = Object.entries(event).map(([name, value]: readonly [string, unknown]) => [
    name,
    metadata.has(name) && typeof value === 'string' ? mask(value) : value,
  ]);
  return Object.fromEntries(fields) as Event;
}

async function* maskChat(
  events: AsyncIterable<ChatEvent>,
  filter: SecretFilter,
): AsyncGenerator<ChatEvent, void> {
  const texts = createTextMask(filter);
  try {
    for await (const event of events) {
      if (isText(event)) {
        yield* texts.write(event);
        continue;
      }
      // A name may arrive in the middle of a text.
      if (event.type !== 'answer-named') yield* texts.release();
      // The client masks its own failures.
      yield event.type === 'retry-scheduled' ? event : maskMetadata(event, filter);
    }
  } catch (error) {
    yield* texts.release();
    throw error;
  }
}

/** Ends with the signal's reason at the first event after an abort, so that text held back is still delivered. */
async function* untilAborted(
  events: AsyncIterable<ChatEvent>,
  signal: AbortSignal | undefined,
): AsyncGenerator<ChatEvent, void> {
  for await (const event of events) {
    signal?.throwIfAborted();
    yield event;
  }
}

/**
 * The client, with secrets masked in everything that the service returns, including secrets split over several events.
 * After an abort, an answer ends with the signal's reason; text that was held back is delivered first.
 */
export function maskClient(client: Client, filter: () => SecretFilter | undefined): Client {
  const masked = <Value>(value: Value): Value => {
    const known = filter();
    return known === undefined ? value : maskValue(value, known.mask);
  };
  return {
    chat(request, options) {
      const known = filter();
      const events = untilAborted(client.chat(request, options), options?.signal);
      return known === undefined ? events : maskChat(events, known);
    },
    listModels: async (options) => masked(await client.listModels(options)),
    getModel: async (id, options) => masked(await client.getModel(id, options)),
    close: () => client.close(),
  };
}
