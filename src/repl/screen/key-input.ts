import type { Clock } from '../../clock.ts';
import type { TerminalReply } from '../../terminal/device/terminal-kind.ts';
import { type KeyEvent, joinPasteBurst } from '../composer/keys/key-event.ts';
import { KeyParser, flushDelay } from '../composer/keys/key-parser.ts';
import { sleepAndRead } from '../timers.ts';

/** Parses raw terminal input into keys; a timeout distinguishes Esc from the start of a sequence. */
export function createKeyInput(
  clock: Clock,
  onKeys: (events: readonly KeyEvent[]) => void,
  onReply: (reply: TerminalReply) => void,
) {
  const parser = new KeyParser(onReply);
  let flushTimer = new AbortController();
  const emit = (events: readonly KeyEvent[]) => {
    if (events.length > 0) onKeys(events);
  };
  const flushLater = () => {
    const pending = parser.pending();
    if (pending === 'nothing') return;
    flushTimer = new AbortController();
    // Cancelled: more input arrived.
    sleepAndRead(clock, flushDelay[pending], flushTimer.signal).then(
      () => emit(parser.flush()),
      () => undefined,
    );
  };
  return {
    feed(bytes: Uint8Array) {
      flushTimer.abort();
      emit(joinPasteBurst(parser.feed(bytes)));
      flushLater();
    },
    stop: () => flushTimer.abort(),
  };
}
