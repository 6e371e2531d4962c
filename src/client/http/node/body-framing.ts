/** Takes the body's bytes out of what the network delivers. */
export interface BodyFraming {
  /**
   * The bytes of the body in `received`, which is overwritten: those of several chunks are moved together. After bytes
   * that are no body in chunks, it returns what precedes them.
   */
  decode(received: Buffer): Buffer;
  /** Set, with the code of Node's parser, when `decode` has met what is not a body in chunks. */
  readonly failure: NodeJS.ErrnoException | undefined;
  /** Whether the body is complete; further bytes are not read. */
  readonly isComplete: boolean;
}

/** Of a body with a known number of bytes. */
export function countedBody(length: number): BodyFraming {
  let left = length;
  return {
    decode(received) {
      const part = received.subarray(0, left);
      left -= part.length;
      return part;
    },
    failure: undefined,
    get isComplete() {
      return left === 0;
    },
  };
}

/** RFC 9112, section 7.1; extensions of a chunk have no meaning for a client. */
const chunkSize = /^0*([0-9A-Fa-f]{1,8})[\t ]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/;
/** Bytes of the line with the size of a chunk. */
const longestLine = 16_384;

/** Of a body in chunks of any number of bytes. Trailers are not read. */
export class ChunkedBody implements BodyFraming {
  isComplete = false;
  failure: NodeJS.ErrnoException | undefined;
  /** The beginning of a line with the size of a chunk. */
  #line: Buffer = Buffer.alloc(0);
  /** Bytes of the chunk that have not arrived; those of the line end after it, too. */
  #left = 0;

  decode(received: Buffer): Buffer {
    const all = this.#line.length === 0 ? received : Buffer.concat([this.#line, received]);
    this.#line = this.#line.subarray(0, 0);
    let [start, length] = [0, 0];
    while (start < all.length && !this.isComplete) {
      if (this.#left === 0) {
        start = this.#readSize(all, start);
        continue;
      }
      const bytes = Math.min(Math.max(this.#left - 2, 0), all.length - start);
      all.copyWithin(length, start, start + bytes);
      length += bytes;
      start += bytes;
      this.#left -= bytes;
      if (this.#left <= 2) start = this.#readLineEnd(all, start);
    }
    return all.subarray(0, length);
  }

  /** Reads the line with the size of the next chunk, and returns where its bytes begin. */
  #readSize(received: Buffer, start: number): number {
    const end = received.indexOf('\r\n', start, 'latin1');
    if (end === -1) {
      this.#line = received.subarray(start);
      return this.#line.length > longestLine ? this.#fail(received) : received.length;
    }
    const [, size] = chunkSize.exec(received.toString('latin1', start, end)) ?? [];
    if (size === undefined) return this.#fail(received);
    const bytes = Number.parseInt(size, 16);
    this.isComplete = bytes === 0;
    this.#left = bytes + 2;
    return end + 2;
  }

  /** Reads what has arrived of the line end after a chunk. */
  #readLineEnd(received: Buffer, start: number): number {
    let at = start;
    for (; this.#left > 0 && at < received.length; at += 1) {
      if (received[at] !== (this.#left === 2 ? 0x0d : 0x0a)) return this.#fail(received);
      this.#left -= 1;
    }
    return at;
  }

  #fail(received: Buffer): number {
    this.failure = Object.assign(new Error('the body is not in chunks'), {
      code: 'HPE_INVALID_CHUNK_SIZE',
    });
    return received.length;
  }
}
