import type { Mask } from '../failure/short-text.ts';
import { createAnswer, type Answer, type AnswerPart } from './answer.ts';
import { createBodyReader } from './body-reader.ts';
import { sizeLimit } from './event-stream.ts';
import { createLineDecoder } from './line-decoder.ts';

export type { AnswerPart } from './answer.ts';

export interface AnswerReaderOptions {
  /** Masks errors that the service reports, before they are cut. */
  readonly mask: Mask;
  /** Called after a read with content: not for comments, keep-alives, or events without any. */
  readonly onContent?: () => void;
  /** Maximum characters in one event or JSON body. */
  readonly limit?: number;
}

/** Larger reads are split, so that little is decoded needlessly after `[DONE]` or a failure. */
const stepBytes = 64 * 1024;

/** What one step yields: its parts, and the failure that ended it, if any. */
interface Step {
  readonly parts: readonly AnswerPart[];
  readonly failure?: unknown;
}

/** Catches a failure of `read`, so that the texts before it are delivered before it is thrown. */
function step(answer: Answer, read: () => void): Step {
  try {
    read();
    return { parts: answer.takeParts() };
  } catch (failure) {
    return { parts: answer.takeParts(), failure };
  }
}

/** Receives the parts of one step; a promise delays the next read. */
export type TakePart = (part: AnswerPart) => Promise<void> | undefined;

/** @returns a promise only if `take` does, because each `await` costs time */
function deliver({ parts, failure }: Step, take: TakePart): Promise<void> | undefined {
  for (const [at, part] of parts.entries()) {
    const taken = take(part);
    if (taken !== undefined)
      return deliverAfter(taken, { parts: parts.slice(at + 1), failure }, take);
  }
  if (failure !== undefined) throw failure;
  return undefined;
}

async function deliverAfter(taken: Promise<void>, rest: Step, take: TakePart): Promise<void> {
  await taken;
  await deliver(rest, take);
}

/**
 * Reads the body of an answer with status 200, streamed or not, and delivers its parts: for each read of `body` at most
 * one of each kind in a row, and a last one of type `end`. Stops at `[DONE]` without waiting for the body's end, and
 * closes the body then, as when `take` throws.
 * @throws Failure when the service reports an error or sends no answer, after the texts before it; and any error of
 * `body` or `take`.
 */
export async function readAnswer(
  body: AsyncIterable<Uint8Array>,
  contentType: string | undefined,
  { mask, onContent, limit = sizeLimit }: AnswerReaderOptions,
  take: TakePart,
): Promise<void> {
  const answer = createAnswer(mask);
  const decoder = createLineDecoder();
  const reader = createBodyReader(answer, contentType, limit);

  function read(bytes: Uint8Array): void {
    for (let start = 0; start < bytes.length && !answer.finished(); start += stepBytes) {
      reader.feed(decoder.decode(bytes.subarray(start, start + stepBytes)));
    }
  }

  for await (const bytes of body) {
    const one = step(answer, () => read(bytes));
    if (answer.hadContent()) onContent?.();
    const delivered = deliver(one, take);
    if (delivered !== undefined) await delivered;
    if (answer.finished() || reader.isFull?.() === true) break;
  }
  let failure: unknown;
  try {
    if (!answer.finished()) {
      reader.feed(decoder.end());
      const ended = reader.end();
      if (ended !== undefined) await ended;
    }
  } catch (error) {
    failure = error;
  }
  await deliver({ parts: answer.takeParts(), failure }, take);
  await deliver({ parts: answer.end() }, take);
}
