import { contentEncoding } from '../../client/http/response-headers.ts';
import type { HttpResponse, Transport } from '../../client/http/transport.ts';

/** Unread bytes at which reading pauses. */
const maxUnread = 65_536;

type Body = HttpResponse['body'];
type Step = IteratorResult<Uint8Array, undefined>;

const ended: Step = { done: true, value: undefined };

/** Reads a body ahead; each step of the iteration is all that has arrived, up to the end of the event loop's turn. */
class JoinedReads implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #source: AsyncIterator<Uint8Array, undefined>;
  #chunks: Uint8Array[] = [];
  #unread = 0;
  #isReading = false;
  #isDue = false;
  #isEnded = false;
  #failure: { readonly error: unknown } | undefined;
  #wake: ((step: Promise<Step>) => void) | undefined;

  constructor(body: Body) {
    this.#source = body[Symbol.asyncIterator]();
  }

  next(): Promise<Step> {
    this.#read();
    return this.#take() ?? new Promise((resolve) => (this.#wake = resolve));
  }

  async return(): Promise<Step> {
    this.#isEnded = true;
    this.#chunks = [];
    await this.#source.return?.();
    return ended;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #read(): void {
    if (this.#isReading || this.#isEnded || this.#unread >= maxUnread) return;
    this.#isReading = true;
    this.#source.next().then(this.#receive, this.#fail);
  }

  readonly #receive = ({ done, value }: IteratorResult<Uint8Array, undefined>): void => {
    this.#isReading = false;
    if (done === true) this.#isEnded = true;
    else {
      this.#chunks.push(value);
      this.#unread += value.length;
      this.#read();
    }
    this.#wakeLater();
  };

  readonly #fail = (error: unknown): void => {
    this.#isEnded = true;
    this.#failure = { error };
    this.#wakeLater();
  };

  #wakeLater(): void {
    if (this.#isDue || this.#wake === undefined) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      const step = this.#wake === undefined ? undefined : this.#take();
      if (step === undefined) return;
      this.#wake?.(step);
      this.#wake = undefined;
    });
  }

  #take(): Promise<Step> | undefined {
    const [first, ...rest] = this.#chunks;
    if (first !== undefined) {
      const value = rest.length === 0 ? first : Buffer.concat(this.#chunks, this.#unread);
      this.#chunks = [];
      this.#unread = 0;
      this.#read();
      return Promise.resolve({ done: false, value });
    }
    if (!this.#isEnded) return undefined;
    const failure = this.#failure;
    this.#failure = undefined;
    return failure === undefined ? Promise.resolve(ended) : Promise.reject(failure.error);
  }
}

/**
 * Sends as `send` does; bodies are read once in each turn of the event loop. Servers send each event of a stream as an
 * HTTP chunk, and many of them arrive in one read of the socket.
 */
export function withJoinedReads(send: Transport): Transport {
  return async (request, signal) => {
    const response = await send(request, signal);
    // A body that is being decoded cannot be closed during a read.
    if (contentEncoding(response.headers) !== undefined) return response;
    return { ...response, body: new JoinedReads(response.body) };
  };
}
