import { Buffer, isAscii } from 'node:buffer';

/** Decodes the reads of a body to text with LF line ends. */
export interface LineDecoder {
  decode(bytes: Uint8Array): string;
  /** U+FFFD for an incomplete last character, else nothing. */
  end(): string;
}

const carriageReturn = /\r\n?/g;

/**
 * Decodes UTF-8 and ignores the charset of the response; invalid bytes become U+FFFD, and one byte order mark is
 * dropped. CR and CRLF become LF, also when a read ends between the two, so that a CR ends its line at once (WHATWG
 * HTML, 9.2.6 Interpreting an event stream).
 */
export function createLineDecoder(): LineDecoder {
  // Created for the first text that is not ASCII, which most answers do not have.
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  let isStart = true;
  let afterReturn = false;
  let betweenCharacters = true;

  function toLineFeeds(text: string): string {
    if (text === '') return text;
    const rest = afterReturn && text.startsWith('\n') ? text.slice(1) : text;
    afterReturn = text.endsWith('\r');
    return rest.includes('\r') ? rest.replace(carriageReturn, '\n') : rest;
  }

  function decodeUtf8(bytes: Uint8Array): string {
    if (betweenCharacters && isAscii(bytes)) {
      isStart = isStart && bytes.length === 0;
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
    }
    // A byte order mark is dropped only at the start.
    decoder ??= new TextDecoder('utf-8', { ignoreBOM: !isStart });
    betweenCharacters = (bytes.at(-1) ?? 0x80) < 0x80;
    return decoder.decode(bytes, { stream: true });
  }

  return {
    decode: (bytes) => toLineFeeds(decodeUtf8(bytes)),
    end: () => toLineFeeds(decoder?.decode() ?? ''),
  };
}
