/** Limits of one sandbox. Sizes are in bytes, times in milliseconds. */
export interface SandboxLimits {
  /** The request line and all headers. */
  readonly head: number;
  /** From the connection to the end of the head. */
  readonly headTime: number;
  /** From the connection to the end of the body. */
  readonly requestTime: number;
  readonly connections: number;
  /** One body. */
  readonly body: number;
  /** All bodies in memory. */
  readonly bodies: number;
  /** Nested objects and arrays. */
  readonly depth: number;
  /** JSON values of one body. */
  readonly values: number;
  /** A refused body is discarded up to this size, so that its sender can read the answer. */
  readonly droppedBody: number;
  /** How long a refused body may take to arrive. */
  readonly droppedTime: number;
  /** Characters of an answer that is sent in one piece. */
  readonly answer: number;
}

const mebibyte = 1024 * 1024;

/** The contract states no sizes; those of a body and an answer are several times the larger window. */
export const defaultLimits: SandboxLimits = {
  head: 16 * 1024,
  headTime: 10_000,
  requestTime: 60_000,
  connections: 2048,
  body: 32 * mebibyte,
  bodies: 256 * mebibyte,
  depth: 100,
  values: 1_000_000,
  droppedBody: 64 * mebibyte,
  droppedTime: 5000,
  answer: 8 * mebibyte,
};
