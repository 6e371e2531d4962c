import { isJsonObject } from '../json.ts';
import { maskValue } from '../secrets/mask.ts';
import { createSecretFilter, minLengthInText } from '../secrets/secret-filter.ts';

/** The log entry of one request; it is written when the connection has finished with the request. */
export interface RequestRecord {
  /** ISO 8601, of the arrival. */
  readonly time: string;
  /** Absent if the connection never sent a readable request. */
  readonly method?: string;
  /** The path with its query, as sent. */
  readonly path?: string;
  status?: number;
  model?: string;
  stream?: boolean;
  /** The key as sent, masked. */
  readonly key?: string | undefined;
  /** The key's tier, if the key is known. */
  tier?: string;
  /** The rule or `[sandbox …]` group that decided on the answer, and how often it has decided. */
  rule?: string | undefined;
  attempt?: number | undefined;
  /** Events sent, `[DONE]` included. */
  events: number;
  /** `cut`: a fault cut the answer; `failed`: the engine failed in the middle of its answer. */
  ended?: 'done' | 'cut' | 'failed' | 'client closed' | 'sandbox closed';
  /** What went wrong in the sandbox, or why the request cannot be read. */
  problem?: string;
  /** The time from the arrival to the end. */
  milliseconds?: number;
  /** A JSON value, or the start of a text. */
  body?: unknown;
}

/**
 * Characters in the log of one text, and bytes of a body that is logged as JSON. To find the key in all forms
 * takes up to a microsecond a character, in which the sandbox answers no request.
 */
const maxTextLength = 65_536;

/** The JSON value if it is short, else the start of the text. @param value undefined if the body is not JSON */
export function recordBody(record: RequestRecord, bytes: Buffer, value: unknown): void {
  if (bytes.length === 0) return;
  if (isJsonObject(value)) {
    const { model, stream } = value;
    if (typeof model === 'string') record.model = model;
    record.stream = stream === true;
  }
  // A character has at most four bytes: what is cut here is still too long for the log, and is cut there after masking.
  const start = bytes.subarray(0, 4 * (maxTextLength + 1));
  const isShort = bytes.length <= maxTextLength;
  record.body = isShort && value !== undefined ? value : start.toString();
}

/** More than the characters of a key, which is masked whole before the cut. */
const longestKey = 8192;

/** Masks a text and cuts it. */
function createTextMask(key: string | undefined): (text: string) => string {
  const filter = createSecretFilter(key === undefined ? [] : [key], minLengthInText);
  return (text) => {
    const start = text.slice(0, maxTextLength + longestKey);
    const masked = filter?.mask(start) ?? start;
    return text.length <= maxTextLength ? masked : `${masked.slice(0, maxTextLength)}…`;
  };
}

/** Writes the line of a record, with the key masked everywhere. @param key the token of the request */
export function writeRecord(
  log: (line: string) => void,
  { body, ...facts }: RequestRecord,
  key?: string,
): void {
  log(JSON.stringify(maskValue({ ...facts, body }, createTextMask(key))));
}
