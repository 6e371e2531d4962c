import { chordOf, type KeyEvent } from '../../../../src/repl/composer/keys/key-event.ts';
import { createKeyInput } from '../../../../src/repl/composer/keys/key-parser.ts';
import { createFakeClock } from '../../../support/fake-clock.ts';

/** The input of keys on a clock that only `pause` moves; both functions return the new events. */
export function openKeys() {
  const clock = createFakeClock();
  const seen: KeyEvent[] = [];
  const input = createKeyInput(clock, (events) => seen.push(...events));
  return {
    feed: (bytes: string | Uint8Array): readonly KeyEvent[] => {
      input.feed(typeof bytes === 'string' ? Buffer.from(bytes) : bytes);
      return seen.splice(0);
    },
    pause: async (milliseconds: number): Promise<readonly KeyEvent[]> => {
      await clock.advance(milliseconds);
      return seen.splice(0);
    },
  };
}

/** The events of a single read from the terminal. */
export const readKeys = (bytes: string | Uint8Array) => openKeys().feed(bytes);

/** `"text"`, `<chord>` or `paste "text"` for each event. */
export function formatEvents(events: readonly KeyEvent[]): string {
  return events
    .map((event) => {
      if (event.type === 'key') return `<${chordOf(event)}>`;
      return `${event.type === 'paste' ? 'paste ' : ''}${JSON.stringify(event.text)}`;
    })
    .join(' ');
}
