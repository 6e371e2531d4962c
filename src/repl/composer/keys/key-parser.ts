import { isLightColor, type TerminalReply } from '../../../terminal/device/terminal-kind.ts';
import { normalizeText } from '../paste.ts';
import {
  eventOfApplicationKey,
  eventOfControl,
  eventOfSequence,
  type KeyEvent,
  keyPress,
  shortcut,
} from './key-event.ts';

/** What a part of the input means; a part without a meaning is a report or unknown, and is ignored. */
interface Meaning {
  readonly event?: KeyEvent | undefined;
  readonly opensPaste?: boolean;
  /** A reply to a query. */
  readonly reply?: TerminalReply;
}

/** One key or one run of text, with its length in UTF-16 units; undefined if it is incomplete. */
type Token = (Meaning & { readonly length: number }) | undefined;

function shadeOf(...parts: readonly string[]): TerminalReply {
  const [red = 0, green = 0, blue = 0] = parts.map(
    (part) => Number.parseInt(part, 16) / (16 ** part.length - 1),
  );
  return { type: 'background', shade: isLightColor(red, green, blue) ? 'light' : 'dark' };
}

const ignored = (): Meaning => ({});

/** What follows Esc. The first pattern that matches decides. */
const sequences: readonly (readonly [RegExp, (...groups: readonly string[]) => Meaning])[] = [
  // A mouse report of X10.
  [/\[M[^]{3}/y, ignored],
  // The Linux console's F1 to F5.
  [/\[\[([A-E])/y, (letter = '') => ({ event: keyPress(`f${'ABCDE'.indexOf(letter) + 1}`) })],
  [/\[(\d{1,2})\$/y, (keys = '') => ({ event: eventOfSequence(keys, '$') })],
  [/\[200~/y, () => ({ opensPaste: true })],
  [/\[([IO])/y, (final) => ({ reply: { type: 'focus', hasFocus: final === 'I' } })],
  // Reports have intermediate bytes, or end with `R`, as F3 with a modifier does: neither is a key.
  [
    /\[(?!M|\[$)([0-?]*[ -/]*)([@-~])/y,
    (keys = '', final = '') => ({ event: eventOfSequence(keys, final) }),
  ],
  [/O([\d;]*)([@-~])/y, (keys = '', final = '') => ({ event: eventOfApplicationKey(keys, final) })],
  // A character that cannot be part of a sequence ends it and is read separately.
  [/\[[0-?]*(?:[ -/]+(?=[^ -/@-~])|(?=[^ -~]))/y, ignored],
  [/O[\d;]*(?=[^\d;])/y, ignored],
  // The background: red, green and blue with one to four digits each.
  [
    /\]11;rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})[^]*?(?:[\u0000-\u001A]|\u001B\\)/iy,
    (...parts) => ({ reply: shadeOf(...parts) }),
  ],
  // OSC, DCS and APC replies; a very long one has lost its end.
  [/(?:\]\d+;|P[\d!+$>]|_G)(?:[^]*?(?:[\u0000-\u001A]|\u001B\\)|[^]{4096,})/y, ignored],
];

/** The start of a sequence. */
const cut =
  /(?:\[M[^]{0,2}|\[\[?|\[[0-?]*[ -/]*|O[\d;]*|\]\d*|(?:\]\d+;|P[\d!+$>]|_G)[^]*|[P_]|)$/y;

function matchAt(pattern: RegExp, input: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(input) ?? undefined;
}

function readAlt(input: string, at: number): Token {
  const code = input.codePointAt(at + 1) ?? 0;
  if (code < 0x20 || code === 0x7f)
    return { length: 2, event: eventOfControl(code, { alt: true }) };
  const character = String.fromCodePoint(code);
  return { length: 1 + character.length, event: shortcut(character, { alt: true }) };
}

function readEscape(input: string, at: number): Token {
  if (input.charAt(at + 1) === '\u001B') return readDoubleEscape(input, at);
  for (const [pattern, meaningOf] of sequences) {
    const found = matchAt(pattern, input, at + 1);
    if (found !== undefined)
      return { length: found[0].length + 1, ...meaningOf(...found.slice(1)) };
  }
  return matchAt(cut, input, at + 1) === undefined ? readAlt(input, at) : undefined;
}

/** Esc pressed twice, or Alt with a key that sends a sequence. */
function readDoubleEscape(input: string, at: number): Token {
  const third = input.charAt(at + 2);
  if (third === '') return undefined;
  if (third !== '[' && third !== 'O') return { length: 1, event: keyPress('escape') };
  const inner = readEscape(input, at + 1);
  if (inner === undefined) return undefined;
  const { event } = inner;
  const altered = event?.type === 'key' ? { ...event, alt: true } : event;
  return { ...inner, length: inner.length + 1, event: altered };
}

const textRun = /[^\u0000-\u001F\u007F-\u009F]+/y;

/** Reads the key or text at an index inside the input. */
function readKey(input: string, at: number): Token {
  const code = input.charCodeAt(at);
  if (code === 0x1b) return readEscape(input, at);
  if (code < 0x20 || code === 0x7f) return { length: 1, event: eventOfControl(code) };
  // C1 controls are not keys.
  if (code >= 0x80 && code <= 0x9f) return { length: 1 };
  const text = matchAt(textRun, input, at)?.[0] ?? '';
  return { length: text.length, event: { type: 'text', text } };
}

/** Milliseconds without input until the caller must flush: only this distinguishes Esc from an escape sequence. */
export const flushDelay: Readonly<Record<'sequence' | 'paste', number>> = {
  sequence: 50,
  paste: 2000,
};

const pasteEnd = '\u001B[201~';
const loneEscapes = /^\u001B{1,2}$/;

/** Focus and mouse reports that terminals send in the middle of a paste. */
const reports = /\u001B\[(?:[IO]|<\d+;\d+;\d+[Mm]|M[ -\u00FF]{3}|200~)/g;
const codedKeys = /\u001B\[([\d;:]+u|27;\d+;\d+~)/g;

/** With the kitty protocol or modifyOtherKeys, some terminals send a paste's line ends as encoded keys. */
function decodeKey(sequence: string): string {
  const event = eventOfSequence(sequence.slice(0, -1), sequence.slice(-1));
  if (event?.type !== 'key') return event?.text ?? '';
  if (['enter', 'j', 'm'].includes(event.name)) return '\n';
  return ['tab', 'i'].includes(event.name) ? '\t' : '';
}

/** The text of a bracketed paste: reports removed, encoded keys as characters, line ends as `\n`. */
function pastedText(raw: string): string {
  if (!raw.includes('\u001B[')) return normalizeText(raw);
  const text = raw
    .replaceAll(reports, '')
    .replaceAll(codedKeys, (_, sequence: string) => decodeKey(sequence));
  return normalizeText(text);
}

/** Parses terminal input into key events. It has no timer: see `flushDelay`. */
export class KeyParser {
  readonly #onReply: (reply: TerminalReply) => void;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #input = '';
  /** The input is a paste up to its end marker. */
  #isInPaste = false;
  /** The last key was a carriage return, so a following line feed belongs to it (Windows). */
  #isAfterReturn = false;
  /** A flush left an incomplete sequence, so no further timeout is needed. */
  #isFlushed = false;

  /** `onReply` receives the terminal's replies to queries. */
  constructor(onReply: (reply: TerminalReply) => void = () => undefined) {
    this.#onReply = onReply;
  }

  /** Takes UTF-8 bytes, split anywhere, or whole characters; returns the completed events. */
  feed(input: Uint8Array | string): KeyEvent[] {
    this.#input +=
      typeof input === 'string' ? input : this.#decoder.decode(input, { stream: true });
    this.#isFlushed = false;
    return this.#readEvents();
  }

  /** The events of incomplete input after the timeout: a lone Esc, a cut-off paste. */
  flush(): KeyEvent[] {
    this.#isAfterReturn = false;
    this.#isFlushed = true;
    const input = this.#input;
    if (this.#isInPaste) {
      this.#isInPaste = false;
      this.#input = '';
      // Its end may be the start of the end marker.
      const text = pastedText(input.replace(/\u001B(?:\[(?:2(?:0(?:1)?)?)?)?$/, ''));
      return [{ type: 'paste', text }];
    }
    if (!loneEscapes.test(input)) return [];
    this.#input = '';
    return Array.from(input, () => keyPress('escape'));
  }

  /** Incomplete input: the start of an escape sequence (or a lone Esc), or a paste without its end. */
  pending(): 'nothing' | 'sequence' | 'paste' {
    if (this.#isInPaste) return 'paste';
    const isWaiting = this.#input !== '' || this.#isAfterReturn;
    return isWaiting && !this.#isFlushed ? 'sequence' : 'nothing';
  }

  /** Reads keys, text and pastes up to incomplete input. */
  #readEvents(): KeyEvent[] {
    const input = this.#input;
    const events: KeyEvent[] = [];
    let at = 0;
    while (at < input.length) {
      if (this.#isInPaste) {
        const end = input.indexOf(pasteEnd, at);
        if (end === -1) break;
        events.push({ type: 'paste', text: pastedText(input.slice(at, end)) });
        this.#isInPaste = false;
        at = end + pasteEnd.length;
        continue;
      }
      const isSecondHalf = this.#isAfterReturn && input.charAt(at) === '\n';
      const token = isSecondHalf ? { length: 1 } : readKey(input, at);
      if (token === undefined) break;
      this.#isAfterReturn = input.charAt(at + token.length - 1) === '\r';
      if (token.opensPaste === true) this.#isInPaste = true;
      if (token.reply !== undefined) this.#onReply(token.reply);
      if (token.event !== undefined) events.push(token.event);
      at += token.length;
    }
    this.#input = input.slice(at);
    return events;
  }
}
