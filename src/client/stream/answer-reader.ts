import type { Mask } from '../failure/error-body.ts';
import { Answer, type AnswerPart } from './answer.ts';
import { ChunkForms } from './chunk-forms.ts';
import { type BodyReader, createBodyReader } from './body-reader.ts';
import { sizeLimit } from './event-stream.ts';
import { LineDecoder } from './line-decoder.ts';

export type { AnswerPart } from './answer.ts';

export interface AnswerReaderOptions {
  /** Masks errors that the service reports, before they are cut. */
  readonly mask: Mask;
  /** Called after a read with content: not for comments, keep-alives, or events without any. */
  readonly onContent?: (() => void) | undefined;
  /** Maximum characters in one event or JSON body. */
  readonly limit?: number;
  /** Of the same service, from earlier answers. */
  readonly forms?: ChunkForms;
}

/** Larger reads are split, so that little is decoded needlessly after `[DONE]` or a failure. */
const stepBytes = 64 * 1024;

/** A failure of a step, which is thrown after the texts before it were delivered. */
interface Caught {
  readonly error: unknown;
}

/** Receives the parts of one step; a promise delays the next read. */
export type TakePart = (part: AnswerPart) => Promise<void> | undefined;

/** @returns a promise only if `take` does, because each `await` costs time */
function deliver(
  parts: readonly AnswerPart[],
  caught: Caught | undefined,
  take: TakePart,
): Promise<void> | undefined {
  let at = 0;
  for (const part of parts) {
    at += 1;
    const taken = take(part);
    if (taken !== undefined) return deliverAfter(taken, parts.slice(at), caught, take);
  }
  if (caught !== undefined) throw caught.error;
  return undefined;
}

async function deliverAfter(
  taken: Promise<void>,
  rest: readonly AnswerPart[],
  caught: Caught | undefined,
  take: TakePart,
): Promise<void> {
  await taken;
  await deliver(rest, caught, take);
}

interface Reading {
  readonly answer: Answer;
  readonly decoder: LineDecoder;
  readonly reader: BodyReader;
}

function read({ answer, decoder, reader }: Reading, bytes: Uint8Array): Caught | undefined {
  try {
    for (let start = 0; start < bytes.length && !answer.finished(); start += stepBytes) {
      const isShort = bytes.length <= stepBytes;
      reader.feed(decoder.decode(isShort ? bytes : bytes.subarray(start, start + stepBytes)));
    }
    return undefined;
  } catch (error) {
    return { error };
  }
}

async function readEnd({ decoder, reader }: Reading): Promise<Caught | undefined> {
  try {
    reader.feed(decoder.end());
    await reader.end();
    return undefined;
  } catch (error) {
    return { error };
  }
}

/** Takes the bytes of one read. @returns a promise only if `take` does */
function takeRead(
  reading: Reading,
  bytes: Uint8Array,
  onContent: (() => void) | undefined,
  take: TakePart,
): Promise<void> | undefined {
  const { answer } = reading;
  const caught = read(reading, bytes);
  if (answer.hadContent()) onContent?.();
  return deliver(answer.takeParts(), caught, take);
}

/** Delivers what follows the last read. */
async function takeEnd(
  reading: Reading,
  taken: Promise<void> | undefined,
  take: TakePart,
): Promise<void> {
  const { answer } = reading;
  if (taken !== undefined) await taken;
  if (!answer.finished()) {
    const caught = await readEnd(reading);
    await deliver(answer.takeParts(), caught, take);
  }
  await deliver(answer.end(), undefined, take);
}

async function readBody(
  reading: Reading,
  body: AsyncIterable<Uint8Array>,
  onContent: (() => void) | undefined,
  take: TakePart,
): Promise<void> {
  const { answer, reader } = reading;
  for await (const bytes of body) {
    const taken = takeRead(reading, bytes, onContent, take);
    if (taken !== undefined) await taken;
    if (answer.finished() || reader.isFull?.() === true) break;
  }
  return takeEnd(reading, undefined, take);
}

/**
 * Reads the body of an answer with status 200, streamed or not, and delivers its parts: for each read of `body` at most
 * one of each kind in a row, and a last one of type `end`. Stops at `[DONE]` without waiting for the body's end, and
 * closes the body then, as when `take` throws.
 * @param body a whole one is read at once
 * @returns undefined if there was nothing to wait for
 * @throws Failure when the service reports an error or sends no answer, after the texts before it; and any error of
 * `body` or `take`.
 */
export function readAnswer(
  body: AsyncIterable<Uint8Array> | Uint8Array,
  contentType: string | undefined,
  { mask, onContent, limit = sizeLimit, forms = new ChunkForms() }: AnswerReaderOptions,
  take: TakePart,
): Promise<void> | undefined {
  const answer = new Answer(mask);
  const reader = createBodyReader(answer, contentType, { limit, forms });
  const reading = { answer, decoder: new LineDecoder(), reader };
  if (!(body instanceof Uint8Array)) return readBody(reading, body, onContent, take);
  const taken = takeRead(reading, body, onContent, take);
  const isTaken = taken === undefined && answer.finished();
  return isTaken ? deliver(answer.end(), undefined, take) : takeEnd(reading, taken, take);
}
