import { isJsonObject, parseJson, textJson } from '../json.ts';

/** What a request used, in tokens. */
export interface TokenCounts {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
}

/** One request, from its first attempt to its end: a line of the ledger, without any text of it. */
export interface LedgerLine {
  /** When it ended, in UTC: `2026-11-22T15:23:14.123Z`. */
  readonly time: string;
  /** `chat`, `repl`, `compare`, `batch`, `batch work`. */
  readonly command: string;
  readonly profile: string;
  /** As requested. */
  readonly model: string;
  /** As the service reported them; null without a report. */
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  /** Instead of missing reports, where the service read the prompt. */
  readonly estimated?: TokenCounts | undefined;
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

const isCount = (value: unknown) => typeof value === 'number' && value >= 0 && value < Infinity;
const isCountOrNull = (value: unknown) => value === null || isCount(value);
const isCountOrAbsent = (value: unknown) => value === undefined || isCount(value);

function isEstimate(value: unknown): boolean {
  if (value === undefined) return true;
  if (!isJsonObject(value)) return false;
  return isCountOrAbsent(value['prompt_tokens']) && isCountOrAbsent(value['completion_tokens']);
}

const texts = ['command', 'profile', 'model', 'outcome'] as const;

function isLedgerLine(value: unknown): value is LedgerLine {
  if (!isJsonObject(value)) return false;
  const { time, ms, prompt_tokens: input, completion_tokens: output, estimated } = value;
  return (
    typeof time === 'string' &&
    !Number.isNaN(Date.parse(time)) &&
    texts.every((name) => typeof value[name] === 'string') &&
    isCount(ms) &&
    [input, output].every(isCountOrNull) &&
    isEstimate(estimated)
  );
}

/** Undefined for a line that is not one of the ledger, such as one cut by a full disk. */
export function parseLedgerLine(text: string): LedgerLine | undefined {
  const value = parseJson(text);
  return isLedgerLine(value) ? value : undefined;
}

const orNull = (text: string | null) => (text === null ? 'null' : textJson(text));

/** `JSON.stringify` of a line in half of the time, because a batch writes thousands a second. */
export function ledgerJson(line: LedgerLine): string {
  const { time, command, profile, model, estimated, ms, outcome, attempts } = line;
  const { prompt_tokens: prompt, completion_tokens: completion } = line;
  const start = `{"time":"${time}","command":${textJson(command)},"profile":${textJson(profile)},"model":${textJson(model)}`;
  const estimate = estimated === undefined ? '' : `,"estimated":${JSON.stringify(estimated)}`;
  const tokens = `,"prompt_tokens":${prompt},"completion_tokens":${completion}${estimate}`;
  const result = `,"ms":${ms},"outcome":${textJson(outcome)},"attempts":${attempts}`;
  const origin = `,"conversation":${orNull(line.conversation)},"batch":${orNull(line.batch)}`;
  return `${start}${tokens}${result}${origin}${line.sandbox === true ? ',"sandbox":true' : ''}}`;
}

/** Tokens of a request: those reported, else those estimated. */
export function tokensOf({ prompt_tokens, completion_tokens, estimated }: LedgerLine) {
  return {
    prompt: prompt_tokens ?? estimated?.prompt_tokens ?? 0,
    answer: completion_tokens ?? estimated?.completion_tokens ?? 0,
  };
}
