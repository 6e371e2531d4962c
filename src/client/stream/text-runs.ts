import type { ReasoningReceived, RefusalReceived, TextReceived } from '../events.ts';

type Channel = 'reasoning' | 'text' | 'refusal';

interface Run {
  readonly channel: Channel;
  readonly deltas: string[];
  /** The deltas joined. */
  text: string;
}

/** All strings are well-formed and not empty. */
export type TextEvent = TextReceived | ReasoningReceived | RefusalReceived;

function toEvent({ channel, deltas, text }: Run): TextEvent {
  if (channel === 'text') return { type: 'text-received', text, deltas };
  return { type: `${channel}-received`, text };
}

/** Deltas in order of arrival; adjacent deltas of one channel form a run. */
export class TextRuns {
  #runs: Run[] = [];
  #reasoning: SurrogateCarry | undefined;
  #text: SurrogateCarry | undefined;
  #refusal: SurrogateCarry | undefined;

  add(channel: Channel, delta: string): void {
    this.#append(channel, this.#carryOf(channel).take(delta));
  }

  /** Adds deltas of the channel `text`, and keeps them. @param text the deltas joined */
  addTexts(deltas: string[], text: string): void {
    const isRun =
      this.#runs.at(-1)?.channel !== 'text' &&
      this.#text?.isEmpty() !== false &&
      !deltas.includes('') &&
      !anySurrogate.test(text);
    if (isRun) this.#runs.push({ channel: 'text', deltas, text });
    else for (const delta of deltas) this.add('text', delta);
  }

  /** Adds the surrogates that were held back. */
  end(): void {
    this.#append('reasoning', this.#reasoning?.end() ?? '');
    this.#append('text', this.#text?.end() ?? '');
    this.#append('refusal', this.#refusal?.end() ?? '');
  }

  /** The runs since the last call. */
  take(): readonly TextEvent[] {
    const runs = this.#runs;
    if (runs.length === 0) return noEvents;
    this.#runs = [];
    return runs.map(toEvent);
  }

  #append(channel: Channel, text: string): void {
    if (text === '') return;
    const last = this.#runs.at(-1);
    if (last?.channel === channel) {
      last.deltas.push(text);
      last.text += text;
    } else this.#runs.push({ channel, deltas: [text], text });
  }

  #carryOf(channel: Channel): SurrogateCarry {
    if (channel === 'text') return (this.#text ??= createSurrogateCarry());
    if (channel === 'reasoning') return (this.#reasoning ??= createSurrogateCarry());
    return (this.#refusal ??= createSurrogateCarry());
  }
}

const noEvents: readonly TextEvent[] = [];

/** Joins surrogate pairs (UTF-16) that a service split between two deltas. */
export interface SurrogateCarry {
  /** The surrogate held back before, and the delta without a high surrogate at its end, which is held back. */
  take(delta: string): string;
  isEmpty(): boolean;
  /** U+FFFD if a high surrogate is still held back, else nothing. */
  end(): string;
}

const anySurrogate = /[\ud800-\udfff]/;
const loneSurrogate = /[\ud800-\udfff]/gu;
const replacement = '\uFFFD';

function endsInHighSurrogate(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}

/** `take` and `end` return well-formed text: a surrogate without its partner becomes U+FFFD. */
export function createSurrogateCarry(): SurrogateCarry {
  let held = '';

  return {
    take(delta) {
      if (held === '' && !anySurrogate.test(delta)) return delta;
      let text = held === '' ? delta : held + delta;
      held = '';
      if (endsInHighSurrogate(text)) {
        held = text.slice(-1);
        text = text.slice(0, -1);
      }
      return text.replace(loneSurrogate, replacement);
    },
    isEmpty: () => held === '',
    end() {
      const rest = held === '' ? '' : replacement;
      held = '';
      return rest;
    },
  };
}
