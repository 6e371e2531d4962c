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

/** One key or one run of text. Functions return undefined if it is incomplete. */
interface Token {
  /** Length in UTF-16 units. */
  readonly length: number;
  /** Absent for reports and unknown sequences, which are ignored. */
  readonly event?: KeyEvent | undefined;
  readonly opensPaste?: boolean;
  /** A reply to a query. */
  readonly reply?: TerminalReply;
}

const escape = '\u001B';
const textRun = /[^\u0000-\u001F\u007F-\u009F]+/y;
const sequence = /\u001B\[([0-?]*)([ -/]*)([@-~])/y;
const sequenceStart = /\u001B\[[0-?]*[ -/]*/y;
/** CPR; the same bytes are F3 with a modifier. */
const cursorReport = /\u001B\[\d+;\d+R/y;
const rxvtShifted = /\u001B\[(\d{1,2})\$/y;
const consoleFunctionKey = /\u001B\[\[([A-E])/y;
const applicationKey = /\u001BO([\d;]*)([@-~])/y;
/** OSC, DCS and APC replies of terminals; otherwise the same bytes are Alt and a character. */
const replyStart = /\u001B(?:\]\d+;|P[\d!+$>]|_G)/y;
const replyPrefix = /\u001B(?:\]\d*|P|_)$/y;
const replyEnd = /\u0007|\u001B\\|[\u0000-\u0006\u0008-\u001A]/g;
const maxReplyLength = 4096;
/** `CSI M` and three characters. */
const mouseReport = 6;
/** The background: red, green and blue with one to four digits each. */
const backgroundReply = /\u001B\]11;rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})/iy;

function matchAt(pattern: RegExp, input: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(input) ?? undefined;
}

function readText(input: string, at: number): Token | undefined {
  const text = matchAt(textRun, input, at)?.[0] ?? '';
  const isCut = at + text.length === input.length && /[\ud800-\udbff]$/.test(text);
  const whole = isCut ? text.slice(0, -1) : text;
  return whole === '' ? undefined : { length: whole.length, event: { type: 'text', text: whole } };
}

function readSequence(input: string, at: number): Token | undefined {
  const isMouseReport = input.startsWith('[M', at + 1);
  if (isMouseReport) return at + mouseReport <= input.length ? { length: mouseReport } : undefined;
  const functionKey = matchAt(consoleFunctionKey, input, at);
  if (functionKey !== undefined) {
    const number = 'ABCDE'.indexOf(functionKey[1] ?? '') + 1;
    return { length: 4, event: keyPress(`f${number}`) };
  }
  if (input.startsWith('[[', at + 1) && at + 3 === input.length) return undefined;
  const report = matchAt(cursorReport, input, at);
  if (report !== undefined) return { length: report[0].length };
  const shifted = matchAt(rxvtShifted, input, at);
  if (shifted !== undefined) {
    return { length: shifted[0].length, event: eventOfSequence(shifted[1] ?? '', '$') };
  }
  const found = matchAt(sequence, input, at);
  if (found === undefined) {
    const length = matchAt(sequenceStart, input, at)?.[0].length ?? 1;
    // A character that cannot be part of a sequence ends it and is read separately.
    return at + length === input.length ? undefined : { length };
  }
  const [{ length }, parameters = '', intermediates = '', final = ''] = found;
  if (parameters === '200' && final === '~') return { length, opensPaste: true };
  if (length === 3 && (final === 'I' || final === 'O')) {
    return { length, reply: { type: 'focus', hasFocus: final === 'I' } };
  }
  return intermediates === '' ? { length, event: eventOfSequence(parameters, final) } : { length };
}

function readApplicationKey(input: string, at: number): Token | undefined {
  const found = matchAt(applicationKey, input, at);
  if (found !== undefined) {
    const [{ length }, parameters = '', final = ''] = found;
    return { length, event: eventOfApplicationKey(parameters, final) };
  }
  const start = /\u001BO[\d;]*/y;
  const length = matchAt(start, input, at)?.[0].length ?? 1;
  return at + length === input.length ? undefined : { length };
}

function shadeOf([, ...parts]: readonly string[]): TerminalReply {
  const [red = 0, green = 0, blue = 0] = parts.map(
    (part) => Number.parseInt(part, 16) / (16 ** part.length - 1),
  );
  return { type: 'background', shade: isLightColor(red, green, blue) ? 'light' : 'dark' };
}

/** A reply of the terminal, ignored unless it is the background; 'none' if it is not one. */
function readReply(input: string, at: number): Token | 'none' | undefined {
  const start = matchAt(replyStart, input, at);
  if (start === undefined) {
    const isPrefix = matchAt(replyPrefix, input, at) !== undefined;
    return isPrefix ? undefined : 'none';
  }
  const end = matchAt(replyEnd, input, at + start[0].length);
  if (end !== undefined) {
    const length = end.index + end[0].length - at;
    const background = matchAt(backgroundReply, input, at);
    return background === undefined ? { length } : { length, reply: shadeOf(background) };
  }
  return input.length - at > maxReplyLength ? { length: input.length - at } : undefined;
}

function readAlt(input: string, at: number): Token | undefined {
  const code = input.codePointAt(at + 1) ?? 0;
  if (code >= 0xd800 && code <= 0xdbff) return undefined;
  if (code < 0x20 || code === 0x7f)
    return { length: 2, event: eventOfControl(code, { alt: true }) };
  const character = String.fromCodePoint(code);
  return { length: 1 + character.length, event: shortcut(character, { alt: true }) };
}

function readEscape(input: string, at: number): Token | undefined {
  switch (input.charAt(at + 1)) {
    case '':
      return undefined;
    case '[':
      return readSequence(input, at);
    case 'O':
      return readApplicationKey(input, at);
    case escape:
      return readDoubleEscape(input, at);
    case ']':
    case 'P':
    case '_': {
      const reply = readReply(input, at);
      return reply === 'none' ? readAlt(input, at) : reply;
    }
    default:
      return readAlt(input, at);
  }
}

/** Esc pressed twice, or Alt with a key that sends a sequence. */
function readDoubleEscape(input: string, at: number): Token | undefined {
  const third = input.charAt(at + 2);
  if (third === '') return undefined;
  if (third !== '[' && third !== 'O') return { length: 1, event: keyPress('escape') };
  const inner = readEscape(input, at + 1);
  if (inner === undefined) return undefined;
  const { event } = inner;
  const altered = event?.type === 'key' ? { ...event, alt: true } : event;
  return { ...inner, length: inner.length + 1, event: altered };
}

/** Reads the key or text at an index inside the input; undefined if more input is needed. */
function readKey(input: string, at: number): Token | undefined {
  const code = input.charCodeAt(at);
  if (code === 0x1b) return readEscape(input, at);
  if (code < 0x20 || code === 0x7f) return { length: 1, event: eventOfControl(code) };
  // C1 controls are not keys.
  if (code >= 0x80 && code <= 0x9f) return { length: 1 };
  return readText(input, at);
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
const codedKeys = /\u001B\[(?:([\d;:]+)(u)|(27;\d+;\d+)(~))/g;

/** With the kitty protocol or modifyOtherKeys, some terminals send a paste's line ends as encoded keys. */
function decodeKey(parameters: string, final: string): string {
  const event = eventOfSequence(parameters, final);
  if (event === undefined || event.type === 'paste') return '';
  if (event.type === 'text') return event.text;
  if (['enter', 'j', 'm'].includes(event.name)) return '\n';
  return ['tab', 'i'].includes(event.name) ? '\t' : '';
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

/** Parses terminal input into key events. It has no timer: see `flushDelay`. */
export class KeyParser {
  readonly #onReply: (reply: TerminalReply) => void;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #input = '';
  /** Parts of the paste being read. */
  #paste: string[] | undefined;
  /** The last key was a carriage return, so a following line feed belongs to it (Windows). */
  #isAfterReturn = false;
  /** A flush left an incomplete sequence, so no further timeout is needed. */
  #isFlushed = false;

  /** `onReply` receives the terminal's replies to queries. */
  constructor(onReply: (reply: TerminalReply) => void = () => undefined) {
    this.#onReply = onReply;
  }

  /** Takes UTF-8 bytes, split anywhere, or characters; returns the completed events. */
  feed(input: Uint8Array | string): KeyEvent[] {
    this.#input +=
      typeof input === 'string' ? input : this.#decoder.decode(input, { stream: true });
    this.#isFlushed = false;
    const events: KeyEvent[] = [];
    // After a paste, there may be more keys.
    for (let isPasteOver = true; isPasteOver;) {
      if (this.#paste === undefined) events.push(...this.#readKeys());
      const paste = this.#paste && this.#readPaste(this.#paste);
      if (paste !== undefined) events.push(paste);
      isPasteOver = paste !== undefined;
    }
    return events;
  }

  /** The events of incomplete input after the timeout: a lone Esc, a cut-off paste. */
  flush(): KeyEvent[] {
    this.#isAfterReturn = false;
    this.#isFlushed = true;
    const input = this.#input;
    if (this.#paste !== undefined) {
      // More of the paste, or the start of its end marker.
      const rest = input.replace(/\u001B(?:\[(?:2(?:0(?:1)?)?)?)?$/, '');
      const text = pastedText(this.#paste.join('') + rest);
      this.#paste = undefined;
      this.#input = '';
      return [{ type: 'paste', text }];
    }
    if (!loneEscapes.test(input)) return [];
    this.#input = '';
    return Array.from(input, () => keyPress('escape'));
  }

  /** Incomplete input: the start of an escape sequence (or a lone Esc), or a paste without its end. */
  pending(): 'nothing' | 'sequence' | 'paste' {
    if (this.#paste !== undefined) return 'paste';
    const isWaiting = this.#input !== '' || this.#isAfterReturn;
    return isWaiting && !this.#isFlushed ? 'sequence' : 'nothing';
  }

  /** Parses keys and text up to a paste or incomplete input. */
  #readKeys(): KeyEvent[] {
    const input = this.#input;
    const events: KeyEvent[] = [];
    let at = 0;
    while (at < input.length && this.#paste === undefined) {
      const isSecondHalf = this.#isAfterReturn && input.charAt(at) === '\n';
      const token = isSecondHalf ? { length: 1 } : readKey(input, at);
      if (token === undefined) break;
      this.#isAfterReturn = input.charAt(at + token.length - 1) === '\r';
      if (token.opensPaste === true) this.#paste = [];
      if (token.reply !== undefined) this.#onReply(token.reply);
      if (token.event !== undefined) events.push(token.event);
      at += token.length;
    }
    this.#input = input.slice(at);
    return events;
  }

  /** Continues a paste; undefined until its end marker. */
  #readPaste(parts: string[]): KeyEvent | undefined {
    const input = this.#input;
    const end = input.indexOf(pasteEnd);
    const taken = end === -1 ? Math.max(0, input.length - pasteEnd.length + 1) : end;
    parts.push(input.slice(0, taken));
    this.#input = input.slice(end === -1 ? taken : taken + pasteEnd.length);
    if (end === -1) return undefined;
    this.#paste = undefined;
    return { type: 'paste', text: pastedText(parts.join('')) };
  }
}
