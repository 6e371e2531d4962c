import path from 'node:path';
import type { BatchItem } from '../input/item.ts';
import { Failure, type FailureKind } from '../../failure.ts';

/** How workers check answers. */
export interface QueuedCheck {
  /** JSON text; absent if only a value is selected. */
  readonly schema?: string;
  readonly retries: number;
  /** A JSON Pointer. */
  readonly select?: string;
}

/** What `batch submit` stores for all items of a batch. Workers use it instead of their own settings. */
export interface BatchHeader {
  /** The name of the input, for messages. */
  readonly input: string;
  readonly model: string;
  readonly system?: string;
  readonly maxTokens?: number;
  /** More fields of each request body. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly stream: boolean;
  /** Absent if answers are not checked. */
  readonly check?: QueuedCheck;
}

/** An item in a queue. */
export interface QueuedItem extends BatchItem {
  /** See `formatFingerprint`. */
  readonly fingerprint: string;
}

/** What a batch has stored about an item of an input. */
export interface KnownItem {
  /** Undefined if the batch has no item at this index; empty if that could not be sent. */
  readonly fingerprint: string | undefined;
  /** The index of the item with the same id; undefined if there is none. */
  readonly indexOfId: number | undefined;
}

/** A line of the results, without its line end. */
export interface QueuedResult {
  readonly index: number;
  readonly isAnswered: boolean;
  readonly line: string;
}

export interface QueueCounts {
  readonly items: number;
  readonly waiting: number;
  readonly active: number;
  /** Waiting for a retry. */
  readonly delayed: number;
  readonly answered: number;
  readonly failed: number;
  /** Items answered in the last minute. */
  readonly lastMinute: number;
  readonly workers: number;
}

/**
 * The end of a job: `transient` failures are tried again until the attempts are used up, `returned` jobs wait for
 * any worker.
 */
export type JobOutcome =
  | { readonly state: 'answered' | 'returned' }
  | { readonly state: 'transient' | 'failed'; readonly kind: FailureKind };

export interface QueueJob {
  readonly item: QueuedItem;
  /** From 1; a job of a killed worker is started again. */
  readonly starts: number;
  /** A transient failure ends the job. */
  readonly isLastAttempt: boolean;
}

/** One batch in a queue. All methods wait while the connection is lost, unless it is given up. */
export interface BatchQueue {
  readonly name: string;
  /** Undefined if there is no batch of this name. */
  header(): Promise<BatchHeader | undefined>;
  /** Creates the batch, or replaces its header. */
  setHeader(header: BatchHeader): Promise<void>;
  /** In the order of `items`. */
  known(items: readonly { index: number; id: string | undefined }[]): Promise<readonly KnownItem[]>;
  /** Adds items; those that are there already stay as they are. @param attempts of each item */
  add(items: readonly QueuedItem[], attempts: number): Promise<void>;
  /** Adds items that cannot be sent, with their results. */
  addUnsendable(results: readonly QueuedResult[]): Promise<void>;
  /** Lets failed items wait again. @returns their number */
  retryFailed(): Promise<number>;
  /** The first answer of an item stays; a failure never replaces an answer. */
  putResult(result: QueuedResult): Promise<void>;
  hasAnswer(index: number): Promise<boolean>;
  /** Fingerprints by index, in ascending order of the index. */
  fingerprints(): Promise<ReadonlyMap<number, string>>;
  /** The answer or the last failure of each index, in the same order; undefined without one. */
  results(indexes: readonly number[]): Promise<readonly (QueuedResult | undefined)[]>;
  counts(): Promise<QueueCounts>;
  /** Sets the rate of all workers together, in jobs a minute; undefined for no limit. */
  setRate(perMinute: number | undefined): Promise<void>;
  /** All workers start no job for this time. */
  pause(milliseconds: number): Promise<void>;
  /**
   * Runs jobs, at most `concurrency` at once.
   * @param onError gets errors of the queue itself, which the worker survives
   * @returns a function that fetches no more jobs; resolves when the running ones have ended and are stored
   */
  work(
    concurrency: number,
    onError: (error: Error) => void,
    run: (job: QueueJob) => Promise<JobOutcome>,
  ): () => Promise<void>;
  /** Deletes the batch. */
  remove(): Promise<void>;
}

/** A connection to a queue server. */
export interface QueueConnection {
  /** Its address, without the password. */
  readonly label: string;
  batches(): Promise<readonly string[]>;
  open(name: string): BatchQueue;
  /** Resolves when the connection is there again; undefined while it is. */
  restored(): Promise<void> | undefined;
  /** A lost connection is not opened again: commands that wait for it fail within about a second. */
  giveUp(): void;
  close(): Promise<void>;
}

export interface ConnectionEvents {
  readonly onLost: () => void;
  readonly onRestored: () => void;
}

const pattern = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,99}$/u;

/** @throws Failure `usage` */
export function checkBatchName(name: string): string {
  if (pattern.test(name)) return name;
  throw new Failure(
    'usage',
    '--batch must be a name of letters, digits, dots, hyphens and underscores, at most 100',
    { hint: 'for example: --batch reviews-2' },
  );
}

/**
 * The name of a batch: that of `--batch`, else the name of its file without folder and extension.
 * @param file undefined or `-` for standard input
 * @throws Failure `usage`
 */
export function batchNameOf(option: string | undefined, file: string | undefined): string {
  if (option !== undefined) return checkBatchName(option);
  if (file === undefined || file === '-') {
    throw new Failure('usage', 'standard input gives the batch no name', {
      hint: 'add --batch NAME',
    });
  }
  const { name } = path.parse(file);
  const cleaned = name.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[._-]+/, '');
  return pattern.test(cleaned) ? cleaned : checkBatchName(cleaned.slice(0, 100) || '-');
}

/** The job of an item: from its id, else from its index, because BullMQ refuses plain numbers and most colons. */
export function jobIdOf(id: string | undefined, index: number): string {
  // Without lone surrogates, which cannot be percent-encoded.
  return id === undefined
    ? `item-${index}`
    : `id-${encodeURIComponent(Buffer.from(id).toString())}`;
}
