// The ledger: a line for each request, in a file for each month of the state folder.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { TokenCounts } from '../settings/prices.ts';
import { isJsonObject, parseJson } from '../json.ts';
import { readLines } from '../storage/read-lines.ts';
import { appendLine } from '../storage/append-file.ts';
import { errorCode, storageFailure } from '../storage/storage-failure.ts';

/** One request, from its first attempt to its end, without any text of it. */
export interface LedgerLine {
  /** When it ended, in UTC: `2026-11-22T15:23:14.123Z`. */
  readonly time: string;
  /** `chat`, `repl`, `btw`, `title`, `compare`, `batch`, `batch work`. */
  readonly command: string;
  readonly profile: string;
  /** The model that was requested. */
  readonly model: string;
  /** The tokens that the service reported; null without a report. */
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  /** The part of `prompt_tokens` that the service read from its cache, if it said so. */
  readonly cached_tokens?: number | undefined;
  /** Instead of missing reports, where the service read the prompt. */
  readonly estimated?:
    | {
        readonly prompt_tokens?: number | undefined;
        readonly completion_tokens?: number | undefined;
      }
    | undefined;
  /** Milliseconds, retries included. */
  readonly ms: number;
  /** `answered`, `stopped`, or the kind of the failure. */
  readonly outcome: string;
  /** Requests sent over the network. */
  readonly attempts: number;
  /** The id of a saved conversation. */
  readonly conversation: string | null;
  /** The id of a run of `natter batch`. */
  readonly batch: string | null;
  /** The built-in sandbox answered. */
  readonly sandbox?: true | undefined;
}

/** Returns the folder of the ledger, in the state folder. */
export const ledgerFolder = (state: string): string => path.join(state, 'usage');

/** Returns the file of a month, `2026-11.jsonl`. @param time in UTC, as in a line */
const ledgerFile = (state: string, time: string) =>
  path.join(ledgerFolder(state), `${time.slice(0, 7)}.jsonl`);

/** Appends lines to the files of their months. @throws Failure `storage` */
export function appendToLedger(state: string, lines: readonly LedgerLine[]): void {
  const texts = new Map<string, string>();
  for (const line of lines) {
    const file = ledgerFile(state, line.time);
    const [before, text] = [texts.get(file), JSON.stringify(line)];
    texts.set(file, before === undefined ? text : `${before}\n${text}`);
  }
  for (const [file, text] of texts) appendLine(file, text);
}

const isCount = (value: unknown) => typeof value === 'number' && value >= 0 && value < Infinity;

function isLedgerLine(value: unknown): value is LedgerLine {
  if (!isJsonObject(value)) return false;
  const { time, ms, prompt_tokens, completion_tokens, cached_tokens, estimated = {} } = value;
  const texts = ['time', 'command', 'profile', 'model', 'outcome'];
  return (
    isJsonObject(estimated) &&
    texts.every((name) => typeof value[name] === 'string') &&
    !Number.isNaN(Date.parse(String(time))) &&
    isCount(ms) &&
    [prompt_tokens, completion_tokens].every((count) => count === null || isCount(count)) &&
    [cached_tokens, estimated['prompt_tokens'], estimated['completion_tokens']].every(
      (count) => count === undefined || isCount(count),
    )
  );
}

/** Lists the files of the month of a time and of later months, the oldest first. @throws Failure `storage` */
function filesSince(state: string, since: Date): readonly string[] {
  const folder = ledgerFolder(state);
  const first = path.basename(ledgerFile(state, since.toISOString()));
  try {
    return readdirSync(folder)
      .filter((name) => /^\d{4}-\d{2}\.jsonl$/.test(name) && name >= first)
      .sort()
      .map((name) => path.join(folder, name));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw storageFailure('read', folder, error, 'NATTER_STATE_DIR');
  }
}

/**
 * Passes the requests that ended at this time or later to `take`.
 * @returns by file, the numbers of the lines that are not of the ledger, such as one cut by a full disk
 * @throws Failure `storage`
 */
export function readLedger(state: string, since: Date, take: (line: LedgerLine) => void) {
  const unread = new Map<string, number[]>();
  for (const file of filesSince(state, since)) {
    let number = 0;
    try {
      for (const text of readLines(file)) {
        number += 1;
        const line = parseJson(text);
        if (isLedgerLine(line)) {
          if (Date.parse(line.time) >= since.getTime()) take(line);
        } else if (text.trim() !== '') unread.set(file, [...(unread.get(file) ?? []), number]);
      }
    } catch (error) {
      throw storageFailure('read', file, error, 'NATTER_STATE_DIR');
    }
  }
  return unread;
}

/** Counts the tokens of a request: those reported, else those estimated. */
export const tokensOf = (line: LedgerLine): TokenCounts => ({
  cached: line.cached_tokens,
  prompt: line.prompt_tokens ?? line.estimated?.prompt_tokens ?? 0,
  answer: line.completion_tokens ?? line.estimated?.completion_tokens ?? 0,
});
