import { Failure } from '../failure.ts';
import { readLines } from '../storage/read-lines.ts';
import { failureReason } from '../storage/storage-failure.ts';
import {
  formatVersion,
  parseLine,
  versionOf,
  type ResponseEvent,
  type RecordedRequest,
} from './format.ts';

/** `at` is milliseconds after the request. */
export type TimedEvent = ResponseEvent & { readonly at: number };

export interface RecordedExchange {
  readonly number: number;
  readonly request: RecordedRequest;
  /** When the request was sent; undefined if not recorded. */
  readonly date: Date | undefined;
  readonly events: readonly TimedEvent[];
}

export interface Recording {
  readonly file: string;
  /** The exchanges in the order of their requests. */
  readonly exchanges: readonly RecordedExchange[];
  /** Numbers of lines, from 1, that are torn or not records. */
  readonly unreadable: readonly number[];
}

function notARecording(file: string): Failure {
  return new Failure('configuration', `${file} is not a recording of natter`, {
    hint: '‹natter --record FILE "a prompt"› creates one',
  });
}

/** Refuses a line that is not the header of this version's format. @throws Failure `configuration` */
export function checkHeader(line: string, file: string): void {
  const version = versionOf(line);
  if (version === undefined) throw notARecording(file);
  if (version === formatVersion) return;
  throw new Failure(
    'configuration',
    `${file} has version ${version} of the recording format; this natter reads version ${formatVersion}`,
    { hint: 'use the version of natter that wrote it, or record again' },
  );
}

function* linesOf(file: string): Generator<string, void> {
  try {
    yield* readLines(file);
  } catch (error) {
    throw new Failure('configuration', `cannot read ${file}: ${failureReason(error)}`, {
      hint: 'check the path of the recording',
      cause: error,
    });
  }
}

/**
 * Reads a recording; torn and foreign lines are skipped.
 * @throws Failure `configuration` for a file that is not a recording
 */
export function readRecording(file: string): Recording {
  const exchanges: RecordedExchange[] = [];
  // Concatenated recordings repeat numbers: a number means the last request with it.
  const latest = new Map<number, TimedEvent[]>();
  const unreadable: number[] = [];
  let number = 0;
  for (const text of linesOf(file)) {
    number += 1;
    if (number === 1) checkHeader(text, file);
    if (text.trim() === '' || versionOf(text) !== undefined) continue;
    const line = parseLine(text);
    if (line === undefined) unreadable.push(number);
    else if (line.type === 'request') {
      const { exchange, method, path, body } = line;
      const request = { method, path, ...(body === undefined ? {} : { body }) };
      const sent = new Date(line.date);
      const date = Number.isNaN(sent.getTime()) ? undefined : sent;
      const events: TimedEvent[] = [];
      exchanges.push({ number: exchange, request, date, events });
      latest.set(exchange, events);
    } else latest.get(line.exchange)?.push(line);
  }
  if (number === 0) throw notARecording(file);
  return { file, exchanges, unreadable };
}
