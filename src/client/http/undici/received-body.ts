import type { ResponseBody } from '../transport.ts';

export interface BodyControl {
  pause(): void;
  resume(): void;
  /** The reader is at the end, or stopped before it. */
  finish(isWhole: boolean): void;
}

/** Unread bytes at which the network is paused: as many as a socket of Node buffers. */
const maxUnread = 65_536;

type Step = IteratorResult<Uint8Array, undefined>;

const ended: Step = { done: true, value: undefined };

/**
 * A body between the network and its one reader: the network is paused while much of it is unread. The reader gets all
 * that arrived in one read of the socket, where servers send each event as an HTTP chunk.
 */
export class ReceivedBody implements ResponseBody, AsyncIterableIterator<Uint8Array, undefined> {
  readonly #control: BodyControl;
  #chunks: Uint8Array[] = [];
  #unread = 0;
  /** The network has no more. */
  #isWhole = false;
  #isFinished = false;
  #isRead = false;
  #failure: { readonly error: unknown } | undefined;
  #wake: ((step: Promise<Step>) => void) | undefined;
  #isWaking = false;

  constructor(control: BodyControl) {
    this.#control = control;
  }

  push(bytes: Uint8Array): void {
    if (this.#isFinished) return;
    this.#chunks.push(bytes);
    this.#unread += bytes.byteLength;
    if (this.#unread >= maxUnread) this.#control.pause();
    this.#wakeLater();
  }

  end(): void {
    this.#isWhole = true;
    this.#wakeLater();
  }

  /** The connection failed: the reader gets what was received, then the error. */
  cut(error: unknown): void {
    if (this.#isWhole) return;
    this.#failure ??= { error };
    this.end();
  }

  /** The reader gets the error instead of what is unread. */
  discard(error: unknown): void {
    this.#chunks = [];
    this.#unread = 0;
    this.#failure ??= { error };
    this.end();
  }

  takeWhole(): Uint8Array | undefined {
    if (!this.#isWhole || this.#isFinished || this.#isRead || this.#failure !== undefined) {
      return undefined;
    }
    const whole = this.#takeUnread();
    this.#finish();
    return whole;
  }

  next(): Promise<Step> {
    return this.#take() ?? new Promise((resolve) => (this.#wake = resolve));
  }

  return(): Promise<Step> {
    this.#finish();
    return Promise.resolve(ended);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #take(): Promise<Step> | undefined {
    if (this.#chunks.length > 0) return Promise.resolve({ done: false, value: this.#takeUnread() });
    if (!this.#isWhole && !this.#isFinished) return undefined;
    const failure = this.#isFinished ? undefined : this.#failure;
    this.#finish();
    return failure === undefined ? Promise.resolve(ended) : Promise.reject(failure.error);
  }

  #takeUnread(): Uint8Array {
    const chunks = this.#chunks;
    const [first] = chunks;
    const isOne = chunks.length === 1 && first !== undefined;
    const bytes = isOne ? first : Buffer.concat(chunks, this.#unread);
    const wasFull = this.#unread >= maxUnread;
    this.#chunks = [];
    this.#unread = 0;
    this.#isRead = true;
    if (wasFull) this.#control.resume();
    return bytes;
  }

  /** After the parser has read the rest of what arrived. */
  #wakeLater(): void {
    if (this.#isWaking || this.#wake === undefined) return;
    this.#isWaking = true;
    queueMicrotask(() => {
      this.#isWaking = false;
      const step = this.#take();
      if (step === undefined) return;
      this.#wake?.(step);
      this.#wake = undefined;
    });
  }

  #finish(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#chunks = [];
    this.#control.finish(this.#isWhole);
  }
}
