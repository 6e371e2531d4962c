import type { TerminalReply } from '../../../terminal/device/traits.ts';
import { normalizeText } from '../paste.ts';
import { keyPress, type KeyEvent } from './key-event.ts';
import { readKey } from './key-reader.ts';
import { eventOfSequence } from './key-sequence.ts';

/** Incomplete input: the start of an escape sequence (or a lone Esc), or a paste without its end. */
export type Pending = 'nothing' | 'sequence' | 'paste';

/** Milliseconds without input until the caller must flush: only this distinguishes Esc from an escape sequence. */
export const flushDelay: Readonly<Record<Exclude<Pending, 'nothing'>, number>> = {
  sequence: 50,
  paste: 2000,
};

/** Parses terminal input into key events. It has no timer: see `flushDelay`. */
export interface KeyParser {
  /** Takes UTF-8 bytes, split anywhere, or characters; returns the completed events. */
  feed(input: Uint8Array | string): KeyEvent[];
  /** The events of incomplete input after the timeout: a lone Esc, a cut-off paste. */
  flush(): KeyEvent[];
  pending(): Pending;
}

const pasteEnd = '\u001B[201~';
const loneEscapes = /^\u001B{1,2}$/;

/** Focus and mouse reports that terminals send in the middle of a paste. */
const reports = /\u001B\[(?:[IO]|<\d+;\d+;\d+[Mm]|M[ -\u00FF]{3}|200~)/g;
const codedKeys = /\u001B\[(?:([\d;:]+)(u)|(27;\d+;\d+)(~))/g;
const breaks = new Map([
  ['enter', '\n'],
  ['j', '\n'],
  ['m', '\n'],
  ['tab', '\t'],
  ['i', '\t'],
]);

/** With the kitty protocol or modifyOtherKeys, some terminals send a paste's line ends as encoded keys. */
function decodeKey(parameters: string, final: string): string {
  const event = eventOfSequence(parameters, final);
  if (event === undefined || event.type === 'paste') return '';
  return event.type === 'text' ? event.text : (breaks.get(event.name) ?? '');
}

/** The text of a bracketed paste: reports removed, encoded keys as characters, line ends as `\n`. */
function pastedText(raw: string): string {
  if (!raw.includes('\u001B[')) return normalizeText(raw);
  const text = raw
    .replaceAll(reports, '')
    .replaceAll(codedKeys, (_, code?: string, u?: string, other?: string, tilde?: string) =>
      decodeKey(code ?? other ?? '', u ?? tilde ?? ''),
    );
  return normalizeText(text);
}

interface State {
  readonly onReply: (reply: TerminalReply) => void;
  input: string;
  /** Parts of the paste being read. */
  paste: string[] | undefined;
  /** The last key was a carriage return, so a following line feed belongs to it (Windows). */
  isAfterReturn: boolean;
  /** A flush left an incomplete sequence, so no further timeout is needed. */
  isFlushed: boolean;
}

/** Continues a paste; undefined until its end marker. */
function readPaste(state: State, parts: string[]): KeyEvent | undefined {
  const end = state.input.indexOf(pasteEnd);
  const taken = end === -1 ? Math.max(0, state.input.length - pasteEnd.length + 1) : end;
  parts.push(state.input.slice(0, taken));
  state.input = state.input.slice(end === -1 ? taken : taken + pasteEnd.length);
  if (end === -1) return undefined;
  state.paste = undefined;
  return { type: 'paste', text: pastedText(parts.join('')) };
}

/** Parses keys and text up to a paste or incomplete input. */
function readKeys(state: State): KeyEvent[] {
  const { input } = state;
  const events: KeyEvent[] = [];
  let at = 0;
  while (at < input.length && state.paste === undefined) {
    const isSecondHalf = state.isAfterReturn && input.charAt(at) === '\n';
    const reading = isSecondHalf ? { length: 1 } : readKey(input, at);
    if (reading === undefined) break;
    state.isAfterReturn = input.charAt(at + reading.length - 1) === '\r';
    if (reading.opensPaste === true) state.paste = [];
    if (reading.reply !== undefined) state.onReply(reading.reply);
    if (reading.event !== undefined) events.push(reading.event);
    at += reading.length;
  }
  state.input = input.slice(at);
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
  const { input, paste } = state;
  if (paste !== undefined) {
    state.paste = undefined;
    state.input = '';
    // More of the paste, or the start of its end marker.
    const rest = input.replace(/\u001B(?:\[(?:2(?:0(?:1)?)?)?)?$/, '');
    return [{ type: 'paste', text: pastedText(paste.join('') + rest) }];
  }
  if (!loneEscapes.test(input)) return [];
  state.input = '';
  return Array.from(input, () => keyPress('escape'));
}

/** `onReply` receives the terminal's replies to queries. */
export function createKeyParser(
  onReply: (reply: TerminalReply) => void = () => undefined,
): KeyParser {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const state: State = {
    onReply,
    input: '',
    paste: undefined,
    isAfterReturn: false,
    isFlushed: false,
  };
  return {
    feed: (input) => {
      state.input += typeof input === 'string' ? input : decoder.decode(input, { stream: true });
      state.isFlushed = false;
      return readAll(state);
    },
    flush: () => flushState(state),
    pending: () => {
      if (state.paste !== undefined) return 'paste';
      const isWaiting = state.input !== '' || state.isAfterReturn;
      return isWaiting && !state.isFlushed ? 'sequence' : 'nothing';
    },
  };
}
