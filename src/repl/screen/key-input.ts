import { type Clock, createDebounce } from '../../clock.ts';
import type { TerminalReply } from '../../terminal/device/terminal-kind.ts';
import { type KeyEvent, joinPasteBurst } from '../composer/keys/key-event.ts';
import { KeyParser, flushDelay } from '../composer/keys/key-parser.ts';

/** Parses raw terminal input into keys; a timeout distinguishes Esc from the start of a sequence. */
export function createKeyInput(
  clock: Clock,
  onKeys: (events: readonly KeyEvent[]) => void,
  onReply?: (reply: TerminalReply) => void,
) {
  const parser = new KeyParser(onReply);
  const emit = (events: readonly KeyEvent[]) => {
    if (events.length > 0) onKeys(events);
  };
  const flush = createDebounce(clock, () => emit(parser.flush()));
  return {
    feed(bytes: Uint8Array) {
      flush.cancel();
      emit(joinPasteBurst(parser.feed(bytes)));
      const pending = parser.pending();
      if (pending !== 'nothing') flush.restart(flushDelay[pending]);
    },
    stop: flush.cancel,
  };
}
