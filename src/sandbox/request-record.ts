import { maskValue } from '../secrecy/mask-value.ts';
import { createSecretFilter, shortestInText } from '../secrecy/secret-filter.ts';

/** What the log says about one request; a line is written when the connection has no more to do with it. */
export interface RequestRecord {
  /** ISO 8601, of the arrival. */
  readonly time: string;
  /** Absent where the connection did not bring a request that can be read. */
  readonly method?: string;
  /** With the query, as sent. */
  readonly path?: string;
  status?: number;
  model?: string;
  stream?: boolean;
  /** The key as sent, masked. */
  readonly key?: string | undefined;
  /** The key's tier, when it is known. */
  tier?: string;
  /** The rule or `[sandbox …]` group that decided on the answer, and how often it has decided. */
  rule?: string;
  attempt?: number;
  /** Events sent, `[DONE]` included. */
  events: number;
  /** `cut` is the sandbox's doing, asked for by a fault; `failed` is the engine's, in the middle of its answer. */
  ended?: 'done' | 'cut' | 'failed' | 'client closed' | 'sandbox closed';
  /** What went wrong in the sandbox, or why the request cannot be read. */
  problem?: string;
  /** From the arrival to the end. */
  milliseconds?: number;
  /** Parsed where it is JSON, else the start of its text. */
  body?: unknown;
}

/**
 * One line of JSON. The key is masked wherever it stands, in the path and body too, in whatever encoding.
 * @param key the token the request came with
 */
function formatRecord(record: RequestRecord, key: string | undefined): string {
  const { body, ...facts } = record;
  const filter = createSecretFilter(key === undefined ? [] : [key], shortestInText);
  const shown = { ...facts, body };
  return JSON.stringify(filter === undefined ? shown : maskValue(shown, filter.mask));
}

/**
 * Writes a record's line. Never throws, whatever the request held: what cannot be written is a line that says so.
 * @param key the token the request came with
 */
export function writeRecord(
  log: (line: string) => void,
  record: RequestRecord,
  key?: string,
): void {
  let line: string;
  try {
    line = formatRecord(record, key);
  } catch (error) {
    const { time, method, status, ended } = record;
    const problem = `the request cannot be logged: ${String(error)}`;
    line = JSON.stringify({ time, method, status, events: 0, ended, problem });
  }
  log(line);
}
