import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { Failure } from '../failure.ts';

type Format = readonly [start: RegExp, format: string, converter?: string, contained?: string];

/** The first bytes of usual files that are not text, as Latin-1, what such a file is, and bytes that it contains. */
const formats: readonly Format[] = [
  [/^\x89PNG/, 'a PNG image'],
  [/^\xFF\xD8\xFF/, 'a JPEG image'],
  [/^GIF8/, 'a GIF image'],
  [/^RIFF.{4}WEBP/s, 'a WebP image'],
  [/^%PDF-/, 'a PDF document', 'pdftotext FILE -'],
  [/^PK\x03\x04/, 'a Word document', 'pandoc -t plain FILE', 'word/document.xml'],
  [/^PK\x03\x04/, 'a ZIP archive'],
  [/^\x1F\x8B/, 'gzip data', 'gzip -dc FILE'],
];

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

/** The offset of the first invalid character, found by bisection. */
function offsetOfFault(bytes: Uint8Array, encoding: string): number {
  const isValid = (end: number, stream: boolean) => {
    try {
      decoder(encoding, true).decode(bytes.subarray(0, end), { stream });
      return true;
    } catch {
      return false;
    }
  };
  let [valid, invalid] = [0, bytes.length + 1];
  while (invalid - valid > 1) {
    const middle = Math.floor((valid + invalid) / 2);
    if (isValid(middle, true)) valid = middle;
    else invalid = middle;
  }
  // The fault is where the character begins, not at the byte that shows it.
  while (valid > 0 && !isValid(valid, false)) valid -= 1;
  return valid;
}

/** @param problem why the bytes are no text, if their format is not known by the first of them */
function notText(bytes: Uint8Array, source: string, problem: string, cause?: unknown): Failure {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // The longest start has 12 bytes.
  const head = all.toString('latin1', 0, 12);
  const known = formats.find(
    ([start, , , contained = '']) =>
      start.test(head) && (contained === '' || all.includes(contained)),
  );
  if (known === undefined) {
    const hint =
      'name its encoding with --stdin-encoding, or pass --lossy to replace invalid bytes';
    return new Failure('usage', `${source} ${problem}`, { hint, cause });
  }
  const [, format, converter] = known;
  const hint = converter && `send its text: ${converter} | natter "a prompt"`;
  return new Failure('usage', `${source} is ${format}; natter sends text only`, { hint, cause });
}

/**
 * Detects UTF-16 by its byte order mark.
 * @throws Failure `usage` that names the offset of the first invalid byte
 */
export function decodeText(
  bytes: Uint8Array,
  options: {
    /** The name in messages: `standard input`, or a file's name. */
    readonly source: string;
    /** A WHATWG encoding label. Default: by the byte order mark, else UTF-8. */
    readonly encoding?: string | undefined;
    /** Invalid bytes become U+FFFD. */
    readonly lossy?: boolean | undefined;
  },
): string {
  const { source, encoding = markedEncoding(bytes), lossy = false } = options;
  const asUtf8 = encoding === 'utf-8';
  const nul = asUtf8 && !lossy ? bytes.indexOf(0) : -1;
  if (nul >= 0) throw notText(bytes, source, `is binary: byte ${nul} is NUL`);
  if (asUtf8 && isUtf8(bytes)) return decoder(encoding, false).decode(bytes);
  const text = decoder(encoding, !lossy);
  try {
    return text.decode(bytes);
  } catch (error) {
    const offset = offsetOfFault(bytes, encoding);
    const problem = `is not ${encoding.toUpperCase()}: byte ${offset} is invalid`;
    throw notText(bytes, source, problem, error);
  }
}
