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

  function toLineFeeds(text: string): string {
    if (text === '') return text;
    const rest = afterReturn && text.startsWith('\n') ? text.slice(1) : text;
    afterReturn = text.endsWith('\r');
    return rest.includes('\r') ? rest.replace(carriageReturn, '\n') : rest;
  }

  return {
    decode: (bytes) => toLineFeeds(decoder.decode(bytes, { stream: true })),
    end: () => toLineFeeds(decoder.decode()),
  };
}
