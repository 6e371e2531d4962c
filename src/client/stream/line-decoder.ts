import { Buffer, isAscii } from 'node:buffer';

const carriageReturn = /\r\n?/g;

function asciiText(bytes: Uint8Array): string {
  const { buffer, byteOffset, byteLength } = bytes;
  const view = bytes instanceof Buffer ? bytes : Buffer.from(buffer, byteOffset, byteLength);
  return view.toString('latin1');
}

/**
 * Decodes the reads of a body to text with LF line ends. It reads UTF-8 and ignores the charset of the response; invalid
 * bytes become U+FFFD, and one byte order mark is dropped. CR and CRLF become LF, also when a read ends between the two,
 * so that a CR ends its line at once (WHATWG HTML, 9.2.6 Interpreting an event stream).
 */
export class LineDecoder {
  /** Created for the first text that is not ASCII, which most answers do not have. */
  #decoder: InstanceType<typeof TextDecoder> | undefined;
  #isStart = true;
  #afterReturn = false;
  #betweenCharacters = true;

  decode(bytes: Uint8Array): string {
    return this.#toLineFeeds(this.#decodeUtf8(bytes));
  }

  /** U+FFFD for an incomplete last character, else nothing. */
  end(): string {
    return this.#toLineFeeds(this.#decoder?.decode() ?? '');
  }

  #toLineFeeds(text: string): string {
    if (text === '') return text;
    const rest = this.#afterReturn && text.startsWith('\n') ? text.slice(1) : text;
    this.#afterReturn = text.endsWith('\r');
    return rest.includes('\r') ? rest.replace(carriageReturn, '\n') : rest;
  }

  #decodeUtf8(bytes: Uint8Array): string {
    if (this.#betweenCharacters && isAscii(bytes)) {
      this.#isStart = this.#isStart && bytes.length === 0;
      return asciiText(bytes);
    }
    // A byte order mark is dropped only at the start.
    this.#decoder ??= new TextDecoder('utf-8', { ignoreBOM: !this.#isStart });
    this.#betweenCharacters = (bytes.at(-1) ?? 0x80) < 0x80;
    return this.#decoder.decode(bytes, { stream: true });
  }
}
