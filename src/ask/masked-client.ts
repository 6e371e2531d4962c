import { textFilter, type Secrets } from '../secrets/secrets.ts';
import type { Client } from '../client/client.ts';
import type {
  ChatEvent,
  ReasoningReceived,
  RefusalReceived,
  TextReceived,
} from '../client/events.ts';
import { maskValue } from '../secrets/mask.ts';
import {
  createMaskedStream,
  type MaskedStream,
  type SecretFilter,
} from '../secrets/secret-filter.ts';

type TextEvent = TextReceived | ReasoningReceived | RefusalReceived;

const isText = (event: ChatEvent): event is TextEvent =>
  event.type === 'text-received' ||
  event.type === 'reasoning-received' ||
  event.type === 'refusal-received';

function textEvent(type: TextEvent['type'], text: string): TextEvent {
  return type === 'text-received' ? { type, text, deltas: [text] } : { type, text };
}

/**
 * Passes each kind of text through a stream of its own. A stream may hold back the end of a text, which is delivered
 * before an event of a different kind, and before an error.
 */
export async function* changeTexts(
  events: AsyncIterable<ChatEvent>,
  createStream: () => MaskedStream,
): AsyncGenerator<ChatEvent, void> {
  const streams: Partial<Record<TextEvent['type'], MaskedStream>> = {};
  let current: TextEvent['type'] | undefined;
  function* release(): Generator<ChatEvent, void> {
    if (current === undefined) return;
    const type = current;
    current = undefined;
    const text = streams[type]?.end() ?? '';
    if (text !== '') yield textEvent(type, text);
  }
  try {
    for await (const event of events) {
      if (!isText(event)) {
        // A name may arrive in the middle of a text.
        if (event.type !== 'answer-named') yield* release();
        yield event;
        continue;
      }
      if (event.type !== current) yield* release();
      current = event.type;
      const text = (streams[event.type] ??= createStream()).write(event.text);
      // The fragments of a text that changes, as one with a secret does, are joined.
      if (text === event.text) yield event;
      else if (text !== '') yield { ...event, ...textEvent(event.type, text) };
    }
  } catch (error) {
    yield* release();
    throw error;
  }
}

const metadata = ['id', 'model', 'finishReason', 'requestId'] as const;

/** Masks only texts from the service: a secret that looks like a type or the name of a field must not change those. */
function maskMetadata(
  event: ChatEvent & Partial<Readonly<Record<(typeof metadata)[number], string>>>,
  mask: SecretFilter['mask'],
): ChatEvent {
  // The client masks its own failures.
  if (event.type === 'retry-scheduled') return event;
  let masked = event;
  for (const name of metadata) {
    const value = event[name];
    if (value !== undefined) masked = { ...masked, [name]: mask(value) };
  }
  return masked;
}

/** Masks secrets in everything that the service returns, including secrets split over several events. */
export function maskClient(client: Client, secrets: Secrets): Client {
  const masked = <Value>(value: Value): Value => {
    const known = textFilter(secrets);
    return known === undefined ? value : maskValue(value, known.mask);
  };
  return {
    ...client,
    async *chat(request, options) {
      const events = client.chat(request, options);
      const known = textFilter(secrets);
      if (known === undefined) {
        yield* events;
        return;
      }
      for await (const event of changeTexts(events, () => createMaskedStream(known))) {
        yield isText(event) ? event : maskMetadata(event, known.mask);
      }
    },
    listModels: async (options) => masked(await client.listModels(options)),
    getModel: async (id, options) => masked(await client.getModel(id, options)),
  };
}
