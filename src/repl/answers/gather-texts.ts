// The live region shows text at most once in 33 ms. Texts that arrive before that are collected, so that they are
// formatted and drawn together. Reading continues meanwhile: what the service sent is recorded at once.
import type { ChatEvent } from '../../client/events.ts';
import { createWakeUp } from '../../clock.ts';

/** UTF-16 units that may wait for an update; more are delivered at once, so that memory is reused. */
const maxWaiting = 1024;

/**
 * UTF-16 units between two updates that are faster than anyone reads, about 2,000 a second: then one update in two is
 * left out.
 */
const fastText = 60;

/** Resolves when text would be shown at once, or with `skipsOne` one update later; undefined if that is now. */
type NextUpdate = (skipsOne: boolean) => Promise<void> | undefined;

type TextEvent = Extract<ChatEvent, { readonly text: string }>;

/** Events between the service and the screen. */
class TextGathering {
  #waiting: ChatEvent[] = [];
  /** UTF-16 units of their texts. */
  #size = 0;
  #hasEnded = false;
  readonly #arrived = createWakeUp();
  readonly #full = createWakeUp();
  readonly #taken = createWakeUp();

  /** @returns a promise if much waits: it resolves when that is taken */
  add(event: ChatEvent): Promise<void> | undefined {
    this.#waiting.push(event);
    if ('text' in event) this.#size += event.text.length;
    this.#arrived.wake();
    if (this.#size < maxWaiting) return undefined;
    this.#full.wake();
    return this.#taken.next();
  }

  end(): void {
    this.#hasEnded = true;
    this.#arrived.wake();
  }

  /** The events up to the end; texts that arrive before `nextUpdate` resolves are one event. */
  async *events(nextUpdate: NextUpdate): AsyncGenerator<ChatEvent, void> {
    let isFast = false;
    for (let isLast = false; !isLast;) {
      if (this.#waiting.length === 0 && !this.#hasEnded) await this.#arrived.next();
      const update = nextUpdate(isFast);
      if (update !== undefined && this.#size < maxWaiting) {
        await Promise.race([update, this.#full.next()]);
      }
      isLast = this.#hasEnded;
      isFast = this.#size > fastText;
      for (const event of this.take()) yield event;
    }
  }

  take(): readonly ChatEvent[] {
    const taken = this.#waiting;
    this.#waiting = [];
    this.#size = 0;
    this.#taken.wake();
    return joinTexts(taken);
  }
}

/** Joins each sequence of texts of one kind to one event. */
function joinTexts(events: readonly ChatEvent[]): readonly ChatEvent[] {
  const joined: ChatEvent[] = [];
  let run: [TextEvent, ...TextEvent[]] | undefined;
  for (const event of events) {
    if (run !== undefined && event.type !== run[0].type) {
      joined.push(joinRun(run));
      run = undefined;
    }
    if (!('text' in event)) joined.push(event);
    else if (run === undefined) run = [event];
    else run.push(event);
  }
  if (run !== undefined) joined.push(joinRun(run));
  return joined;
}

function joinRun([first, ...rest]: readonly [TextEvent, ...TextEvent[]]): ChatEvent {
  if (rest.length === 0) return first;
  const text = [first, ...rest].map((event) => event.text).join('');
  if (first.type !== 'text-received') return { ...first, text };
  return { ...first, text, deltas: [text] };
}

/**
 * The events, read while earlier ones are shown; see {@link TextGathering.events}.
 * @throws what `events` throws, after the events before it
 */
export async function* gatherTexts(
  events: AsyncIterable<ChatEvent>,
  nextUpdate: NextUpdate,
): AsyncGenerator<ChatEvent, void> {
  const gathering = new TextGathering();
  let isStopped = false;
  const read = async () => {
    try {
      for await (const event of events) {
        if (isStopped) return;
        const taken = gathering.add(event);
        if (taken !== undefined) await taken;
      }
    } finally {
      gathering.end();
    }
  };
  const reading = read();
  // It is thrown below, unless the caller has stopped.
  reading.catch(() => undefined);
  try {
    yield* gathering.events(nextUpdate);
    await reading;
  } finally {
    isStopped = true;
    gathering.take();
  }
}
