import type { TerminalReply } from '../../../terminal/device/terminal-questions.ts';
import { keyPress } from './key-event.ts';
import type { KeyEvent } from './key-event.ts';
import { readKey } from './key-reader.ts';
import { pastedText } from '../pasted-text.ts';

/** What the parser holds back: the begin of an escape sequence (or a lone Esc), or a paste without its end. */
export type Pending = 'nothing' | 'sequence' | 'paste';

/**
 * Milliseconds without input after which the caller flushes, by what is pending. Esc alone is told apart from a
 * sequence by this silence only.
 */
export const flushDelay: Readonly<Record<Exclude<Pending, 'nothing'>, number>> = {
  sequence: 50,
  paste: 2000,
};

/** Turns what a terminal sends into key events. Knows no time: see `flushDelay`. */
export interface KeyParser {
  /** Events complete with these bytes (UTF-8, split anywhere) or characters. */
  feed(input: Uint8Array | string): KeyEvent[];
  /** Events of what was held back, for when nothing followed: a lone Esc, a paste cut off. */
  flush(): KeyEvent[];
  pending(): Pending;
}

const pasteEnd = '\u001B[201~';
const loneEscapes = /^\u001B{1,2}$/;

interface State {
  readonly onReply: (reply: TerminalReply) => void;
  /** Input not read yet. */
  held: string;
  /** Parts of the paste being read. */
  paste: string[] | undefined;
  /** The last key was a carriage return, so a line feed after it is its second half (Windows). */
  isAfterReturn: boolean;
  /** A flush left a begun sequence, whose rest comes late; there is nothing more to wait for. */
  isFlushed: boolean;
}

/** Reads on inside a paste; undefined while its end has not come. */
function readPaste(state: State, parts: string[]): KeyEvent | undefined {
  const end = state.held.indexOf(pasteEnd);
  const taken = end === -1 ? Math.max(0, state.held.length - pasteEnd.length + 1) : end;
  parts.push(state.held.slice(0, taken));
  state.held = state.held.slice(end === -1 ? taken : taken + pasteEnd.length);
  if (end === -1) return undefined;
  state.paste = undefined;
  return { type: 'paste', text: pastedText(parts.join('')) };
}

/** Reads keys and text up to the begin of a paste or of something incomplete. */
function readKeys(state: State): KeyEvent[] {
  const { held } = state;
  const events: KeyEvent[] = [];
  let at = 0;
  while (at < held.length && state.paste === undefined) {
    const isSecondHalf = state.isAfterReturn && held.charAt(at) === '\n';
    const reading = isSecondHalf ? { length: 1 } : readKey(held, at);
    if (reading === undefined) break;
    state.isAfterReturn = held.charAt(at + reading.length - 1) === '\r';
    if (reading.opensPaste === true) state.paste = [];
    if (reading.reply !== undefined) state.onReply(reading.reply);
    if (reading.event !== undefined) events.push(reading.event);
    at += reading.length;
  }
  state.held = held.slice(at);
  return events;
}

function readAll(state: State): KeyEvent[] {
  const events: KeyEvent[] = [];
  do {
    if (state.paste === undefined) events.push(...readKeys(state));
    if (state.paste === undefined) return events;
    const paste = readPaste(state, state.paste);
    if (paste !== undefined) events.push(paste);
  } while (state.paste === undefined);
  return events;
}

function flushState(state: State): KeyEvent[] {
  state.isAfterReturn = false;
  state.isFlushed = true;
  const { held, paste } = state;
  if (paste !== undefined) {
    state.paste = undefined;
    state.held = '';
    // Either more of the paste or the begin of its end marker.
    const rest = held.replace(/\u001B(?:\[(?:2(?:0(?:1)?)?)?)?$/, '');
    return [{ type: 'paste', text: pastedText(paste.join('') + rest) }];
  }
  if (!loneEscapes.test(held)) return [];
  state.held = '';
  return Array.from(held, () => keyPress('escape'));
}

/** `onReply` gets what the terminal answers. */
export function createKeyParser(
  onReply: (reply: TerminalReply) => void = () => undefined,
): KeyParser {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const state: State = {
    onReply,
    held: '',
    paste: undefined,
    isAfterReturn: false,
    isFlushed: false,
  };
  return {
    feed: (input) => {
      state.held += typeof input === 'string' ? input : decoder.decode(input, { stream: true });
      state.isFlushed = false;
      return readAll(state);
    },
    flush: () => flushState(state),
    pending: () => {
      if (state.paste !== undefined) return 'paste';
      const isWaiting = state.held !== '' || state.isAfterReturn;
      return isWaiting && !state.isFlushed ? 'sequence' : 'nothing';
    },
  };
}
