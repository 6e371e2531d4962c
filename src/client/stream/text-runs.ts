import type { ReasoningReceived, RefusalReceived, TextReceived } from '../events.ts';
import { createSurrogateCarry, type SurrogateCarry } from './surrogate-carry.ts';

/** In the order in which one chunk's texts are meant. */
export const channels = ['reasoning', 'text', 'refusal'] as const;

type Channel = (typeof channels)[number];

interface Run {
  readonly channel: Channel;
  readonly deltas: string[];
}

/** Text as it was read. All strings are well-formed and none is empty. */
export type TextEvent = TextReceived | ReasoningReceived | RefusalReceived;

/** Deltas in order of arrival, gathered in runs of one channel. */
export interface TextRuns {
  add(channel: Channel, delta: string): void;
  /** Adds what a channel still held back. */
  end(): void;
  /** The runs since this was last asked. */
  take(): TextEvent[];
}

function toEvent({ channel, deltas }: Run): TextEvent {
  const text = deltas.join('');
  if (channel === 'text') return { type: 'text-received', text, deltas };
  return { type: `${channel}-received`, text };
}

export function createTextRuns(): TextRuns {
  let runs: Run[] = [];
  const carries: Record<Channel, SurrogateCarry> = {
    text: createSurrogateCarry(),
    reasoning: createSurrogateCarry(),
    refusal: createSurrogateCarry(),
  };

  function append(channel: Channel, text: string): void {
    if (text === '') return;
    const last = runs.at(-1);
    if (last?.channel === channel) last.deltas.push(text);
    else runs.push({ channel, deltas: [text] });
  }

  return {
    add(channel, delta) {
      append(channel, carries[channel].take(delta));
    },
    end() {
      for (const channel of channels) append(channel, carries[channel].end());
    },
    take() {
      const events = runs.map(toEvent);
      runs = [];
      return events;
    },
  };
}
