import { Buffer, isAscii } from 'node:buffer';

/** Turns the reads of a body into text whose only line end is LF. */
export interface LineDecoder {
  decode(bytes: Uint8Array): string;
  /** What an unfinished last character stands for: U+FFFD, or nothing. */
  end(): string;
}

const carriageReturn = /\r\n?/g;

/**
 * UTF-8 whatever the charset said, invalid bytes as U+FFFD, one byte order mark dropped; CR and CRLF become LF,
 * also when a read ends between the two, so that a CR ends its line at once
 * (WHATWG HTML, 9.2.6 Interpreting an event stream).
 */
export function createLineDecoder(): LineDecoder {
  const decoder = new TextDecoder();
  let afterReturn = false;
  // Not before the first read, whose byte order mark is the decoder's to find.
  let betweenCharacters = false;

  function toLineFeeds(text: string): string {
    if (text === '') return text;
    const rest = afterReturn && text.startsWith('\n') ? text.slice(1) : text;
    afterReturn = text.endsWith('\r');
    return rest.includes('\r') ? rest.replace(carriageReturn, '\n') : rest;
  }

  function decodeUtf8(bytes: Uint8Array): string {
    if (betweenCharacters && isAscii(bytes)) {
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
    }
    betweenCharacters = (bytes.at(-1) ?? 0x80) < 0x80;
    return decoder.decode(bytes, { stream: true });
  }

  return {
    decode: (bytes) => toLineFeeds(decodeUtf8(bytes)),
    end: () => toLineFeeds(decoder.decode()),
  };
}
