import type { ReasoningReceived, RefusalReceived, TextReceived } from '../events.ts';

/** In the order of the texts within one chunk. */
export const channels = ['reasoning', 'text', 'refusal'] as const;

type Channel = (typeof channels)[number];

interface Run {
  readonly channel: Channel;
  readonly deltas: string[];
}

/** All strings are well-formed and not empty. */
export type TextEvent = TextReceived | ReasoningReceived | RefusalReceived;

/** Deltas in order of arrival; adjacent deltas of one channel form a run. */
export interface TextRuns {
  add(channel: Channel, delta: string): void;
  /** Adds deltas of the channel `text`. @returns whether there are any that are not empty */
  addTexts(deltas: readonly string[]): boolean;
  /** Adds the surrogates that were held back. */
  end(): void;
  /** The runs since the last call. */
  take(): readonly TextEvent[];
}

function toEvent({ channel, deltas }: Run): TextEvent {
  const [first = ''] = deltas;
  const text = deltas.length === 1 ? first : deltas.join('');
  if (channel === 'text') return { type: 'text-received', text, deltas };
  return { type: `${channel}-received`, text };
}

export function createTextRuns(): TextRuns {
  let runs: Run[] = [];
  const carries: Partial<Record<Channel, SurrogateCarry>> = {};

  function append(channel: Channel, text: string): void {
    if (text === '') return;
    const last = runs.at(-1);
    if (last?.channel === channel) last.deltas.push(text);
    else runs.push({ channel, deltas: [text] });
  }

  function addDelta(channel: Channel, delta: string): void {
    append(channel, (carries[channel] ??= createSurrogateCarry()).take(delta));
  }

  return {
    add: addDelta,
    addTexts(deltas) {
      const text = deltas.join('');
      const isWhole = carries.text?.isEmpty() !== false && !anySurrogate.test(text);
      for (const delta of deltas) {
        if (isWhole) append('text', delta);
        else addDelta('text', delta);
      }
      return text !== '';
    },
    end() {
      for (const channel of channels) append(channel, carries[channel]?.end() ?? '');
    },
    take() {
      const events = runs.map(toEvent);
      runs = [];
      return events;
    },
  };
}

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
