import { Failure } from '../failure.ts';
import { readLines } from '../storage/read-lines.ts';
import { failureReason } from '../storage/storage-failure.ts';
import {
  formatVersion,
  parseLine,
  versionOf,
  type LaterEvent,
  type RecordedRequest,
} from './format.ts';

/** What followed a request, `at` milliseconds after it. */
export type Reaction = LaterEvent & { readonly at: number };

/** One request and its response or failure. */
export interface RecordedExchange {
  readonly number: number;
  readonly request: RecordedRequest;
  /** When it was sent; undefined where it was not recorded. */
  readonly date: Date | undefined;
  readonly reactions: readonly Reaction[];
}

export interface Recording {
  readonly file: string;
  /** In the order of their requests. */
  readonly exchanges: readonly RecordedExchange[];
  /** Numbers of lines, from 1, that are torn or not records. */
  readonly unreadable: readonly number[];
}

function notARecording(file: string): Failure {
  return new Failure('configuration', `${file} is not a recording of natter`, {
    hint: 'natter --record FILE "a prompt" makes one',
  });
}

/**
 * Checks the first line of a file.
 * @throws Failure `configuration` where it cannot
 */
export function checkHeader(line: string, file: string): void {
  const version = versionOf(line);
  if (version === undefined) throw notARecording(file);
  if (version === formatVersion) return;
  throw new Failure(
    'configuration',
    `${file} has version ${version} of the recording format, this natter knows ${formatVersion}`,
    { hint: 'use the natter that made it, or record again' },
  );
}

function parseDate(text: unknown): Date | undefined {
  const date = typeof text === 'string' ? new Date(text) : undefined;
  return date === undefined || Number.isNaN(date.getTime()) ? undefined : date;
}

function* linesOf(file: string): Generator<string, void> {
  try {
    for (const group of readLines(file)) yield* group;
  } catch (error) {
    throw new Failure('configuration', `cannot read ${file}: ${failureReason(error)}`, {
      hint: 'check the path of the recording',
      cause: error,
    });
  }
}

type Filling = RecordedExchange & { readonly reactions: Reaction[] };

/**
 * Reads a recording; skips torn and foreign lines.
 * @throws Failure `configuration` for a file that is not a recording
 */
export function readRecording(file: string): Recording {
  const exchanges: Filling[] = [];
  // Concatenated recordings repeat numbers: a number means the last request that has it.
  const latest = new Map<number, Filling>();
  const unreadable: number[] = [];
  let number = 0;
  for (const text of linesOf(file)) {
    number += 1;
    if (number === 1) checkHeader(text, file);
    if (text.trim() === '' || versionOf(text) !== undefined) continue;
    const line = parseLine(text);
    if (line === undefined) unreadable.push(number);
    else if (line.type === 'request') {
      const { exchange, date, method, path, body } = line;
      const request = { method, path, ...(body === undefined ? {} : { body }) };
      const begun = { number: exchange, request, date: parseDate(date), reactions: [] };
      exchanges.push(begun);
      latest.set(exchange, begun);
    } else latest.get(line.exchange)?.reactions.push(line);
  }
  if (number === 0) throw notARecording(file);
  return { file, exchanges, unreadable };
}
