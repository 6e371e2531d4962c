import path from 'node:path';
import type { BatchItem } from '../input/item.ts';
import { Failure, type FailureKind } from '../../failure.ts';

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
  readonly check?: {
    /** JSON text; absent if only a value is selected. */
    readonly schema?: string;
    readonly retries: number;
    /** A JSON Pointer. */
    readonly select?: string;
  };
}

/** An item in a queue. */
export interface QueuedItem extends BatchItem {
  /** See `promptFingerprint`. */
  readonly fingerprint: string;
}

/** A line of the results, without its line end. */
export interface QueuedResult {
  readonly index: number;
  readonly isAnswered: boolean;
  readonly line: string;
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
