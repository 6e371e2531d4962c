import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { Failure } from '../failure.ts';
import { formatOf } from './file-format.ts';

export interface DecodeOptions {
  /** For messages: `standard input`, or a file's name. */
  readonly source: string;
  /** A WHATWG encoding label. Default: by the byte order mark, else UTF-8. */
  readonly encoding?: string | undefined;
  /** Invalid bytes become U+FFFD. */
  readonly lossy?: boolean | undefined;
}

function markedEncoding(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return 'utf-8';
}

function decoder(label: string, fatal: boolean): TextDecoder {
  try {
    return new TextDecoder(label, { fatal });
  } catch (error) {
    throw new Failure('usage', `unknown encoding "${label}"`, {
      hint: 'use a WHATWG label such as utf-8, utf-16le, windows-1252, shift_jis or gbk',
      cause: error,
    });
  }
}

/** Checks a label before anything is read. @throws Failure `usage` */
export function requireEncoding(label: string): void {
  decoder(label, true);
}

const blockSize = 65_536;
/** More than any encoding uses. */
const maxCharacterBytes = 16;

/** An offset before the invalid byte, at most a block away from it. */
function offsetBeforeFault(bytes: Uint8Array, encoding: string): number {
  const stream = decoder(encoding, true);
  let start = 0;
  try {
    for (; start + blockSize < bytes.length; start += blockSize) {
      stream.decode(bytes.subarray(start, start + blockSize), { stream: true });
    }
  } catch {
    // This block has the invalid byte; the caller finds it.
  }
  return Math.max(0, start - maxCharacterBytes);
}

/** The offset of the first invalid character, found by decoding byte by byte. */
function offsetOfFault(bytes: Uint8Array, encoding: string): number {
  const stream = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  const start = offsetBeforeFault(bytes, encoding);
  let begin = start;
  try {
    if (start > 0) stream.decode(bytes.subarray(0, start), { stream: true });
    for (let offset = start; offset < bytes.length; offset += 1) {
      const text = stream.decode(bytes.subarray(offset, offset + 1), { stream: true });
      if (text !== '') begin = offset + 1;
    }
  } catch {
    return begin;
  }
  return begin;
}

const encodingHint =
  'name its encoding with --stdin-encoding, or pass --lossy to replace invalid bytes';

/** @param problem why the bytes are no text, if their format is not known */
function notText(bytes: Uint8Array, source: string, problem: string, cause?: unknown): Failure {
  const { format, converter } = formatOf(bytes);
  if (format === undefined) {
    return new Failure('usage', `${source} ${problem}`, { hint: encodingHint, cause });
  }
  const message = `${source} is ${format}; natter sends text only`;
  if (converter === undefined) return new Failure('usage', message, { cause });
  const hint = `send its text: ${converter} | natter "a prompt"`;
  return new Failure('usage', message, { hint, cause });
}

function refuseBinary(bytes: Uint8Array, source: string): void {
  const offset = bytes.indexOf(0);
  if (offset >= 0) throw notText(bytes, source, `is binary: byte ${offset} is NUL`);
}

/**
 * Detects UTF-16 by its byte order mark.
 * @throws Failure `usage` that names the offset of the first invalid byte
 */
export function decodeText(bytes: Uint8Array, options: DecodeOptions): string {
  const encoding = options.encoding ?? markedEncoding(bytes);
  const lossy = options.lossy === true;
  const asUtf8 = encoding === 'utf-8';
  if (asUtf8 && bytes.length === 0) return '';
  if (asUtf8 && !lossy) refuseBinary(bytes, options.source);
  if (asUtf8 && isUtf8(bytes)) return decoder(encoding, false).decode(bytes);
  const text = decoder(encoding, !lossy);
  try {
    return text.decode(bytes);
  } catch (error) {
    const offset = offsetOfFault(bytes, encoding);
    const problem = `is not ${encoding.toUpperCase()}: byte ${offset} is invalid`;
    throw notText(bytes, options.source, problem, error);
  }
}
