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

/** Resolves when the next event may follow; undefined at once. */
type Taken = Promise<void> | void;

type Take = (event: ChatEvent) => Taken;

function both(one: Taken, other: Taken): Taken {
  if (one === undefined) return other;
  return other === undefined ? one : Promise.all([one, other]).then(() => undefined);
}

const metadata = ['id', 'model', 'finishReason', 'requestId'] as const;

type MetadataEvent = ChatEvent & Partial<Readonly<Record<(typeof metadata)[number], string>>>;

/** How the events of one prompt are changed. */
interface EventChange {
  /** For each kind of text. */
  readonly createStream: () => MaskedStream;
  readonly change: (event: ChatEvent) => ChatEvent;
}

/** Masks only texts from the service: a secret that looks like a type or the name of a field must not change those. */
function maskMetadata(event: MetadataEvent, mask: SecretFilter['mask']): ChatEvent {
  let masked = event;
  for (const name of metadata) {
    const value = event[name];
    if (value === undefined) continue;
    const shown = mask(value);
    if (shown !== value) masked = { ...masked, [name]: shown };
  }
  return masked;
}

/** Masks the events of a client. */
class EventMasking implements EventChange {
  readonly filter: SecretFilter;
  /** The latest without a secret: each answer has its id twice, and most the same model and reason. */
  #id: string | undefined;
  #model: string | undefined;
  #finishReason: string | undefined;

  constructor(filter: SecretFilter) {
    this.filter = filter;
  }

  createStream(): MaskedStream {
    return createMaskedStream(this.filter);
  }

  change(event: ChatEvent): ChatEvent {
    // The client masks its own failures.
    if (event.type === 'retry-scheduled') return event;
    const fields: MetadataEvent = event;
    const { id = this.#id, model = this.#model, finishReason = this.#finishReason } = fields;
    const { requestId } = fields;
    const isSame = id === this.#id && model === this.#model && finishReason === this.#finishReason;
    if (isSame && requestId === undefined) return event;
    // One search for all of them is faster, and nearly always enough.
    const mayConcern = this.filter.mayConcern(`${id}\n${model}\n${finishReason}\n${requestId}`);
    const masked = mayConcern ? maskMetadata(event, this.filter.mask) : event;
    if (masked !== event) return masked;
    this.#id = id;
    this.#model = model;
    this.#finishReason = finishReason;
    return event;
  }
}

/**
 * Changes the events of one prompt and passes them to `take`; an end of a text that may begin a secret is held back until
 * `release`, or an event of a different kind.
 */
class EventMask {
  readonly #change: EventChange;
  readonly #take: Take;
  readonly #streams: Partial<Record<TextEvent['type'], MaskedStream>> = {};
  #current: TextEvent['type'] | undefined;

  constructor(change: EventChange, take: Take) {
    this.#change = change;
    this.#take = take;
  }

  event(event: ChatEvent): Taken {
    if (isText(event)) return this.#text(event);
    // A name may arrive in the middle of a text.
    const released = event.type === 'answer-named' ? undefined : this.release();
    return both(released, this.#take(this.#change.change(event)));
  }

  release(): Taken {
    const type = this.#current;
    if (type === undefined) return undefined;
    this.#current = undefined;
    const text = this.#streams[type]?.end() ?? '';
    return text === '' ? undefined : this.#take(textEvent(type, text));
  }

  #text(event: TextEvent): Taken {
    const { type } = event;
    const released = type === this.#current ? undefined : this.release();
    this.#current = type;
    const stream = (this.#streams[type] ??= this.#change.createStream());
    const masked = maskTextEvent(event, stream);
    return masked.text === '' ? released : both(released, this.#take(masked));
  }
}

/** Changes the events of one prompt, also a text that is cut over several of them. */
export async function* changeEvents(
  events: AsyncIterable<ChatEvent>,
  change: EventChange,
): AsyncGenerator<ChatEvent, void> {
  const masked: ChatEvent[] = [];
  const mask = new EventMask(change, (event) => void masked.push(event));
  try {
    for await (const event of events) {
      void mask.event(event);
      yield* masked.splice(0);
    }
  } catch (error) {
    void mask.release();
    yield* masked;
    throw error;
  }
}

type Send = NonNullable<Client['send']>;

/** Sends a prompt as `send` does, and masks its events. */
function maskSend(
  send: Send,
  masking: EventMasking | undefined,
  [request, take, options]: Parameters<Send>,
): Promise<void> {
  const signal = options?.signal;
  const mask =
    masking === undefined
      ? { event: take, release: () => undefined }
      : new EventMask(masking, take);
  const takeMasked = (event: ChatEvent): Taken => {
    signal?.throwIfAborted();
    return mask.event(event);
  };
  return send(request, takeMasked, options).catch(async (error: unknown) => {
    await mask.release();
    throw error;
  });
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
  let masking: EventMasking | undefined;
  const maskingOf = (known: SecretFilter | undefined) => {
    if (known !== masking?.filter) masking = known && new EventMasking(known);
    return masking;
  };
  const { send } = client;
  return {
    chat(request, options) {
      const known = maskingOf(filter());
      const events = untilAborted(client.chat(request, options), options?.signal);
      return known === undefined ? events : changeEvents(events, known);
    },
    ...(send !== undefined && {
      send: (...words) => maskSend(send, maskingOf(filter()), words),
    }),
    listModels: async (options) => masked(await client.listModels(options)),
    getModel: async (id, options) => masked(await client.getModel(id, options)),
    close: () => client.close(),
  };
}
