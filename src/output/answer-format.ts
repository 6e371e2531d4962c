import { Failure } from '../failure.ts';
import type { OutputStream } from '../terminal/device/streams.ts';

/**
 * How an answer is printed. `exact`: the bytes of the service; `text`: the same, and a line end if there is none;
 * `plain`: safe for a terminal; `markdown`: styled; `json`: one document; `jsonl`: one event per line.
 */
export type AnswerFormat = 'exact' | 'text' | 'plain' | 'markdown' | 'json' | 'jsonl';

export interface FormatOptions {
  readonly json?: boolean;
  readonly jsonl?: boolean;
  readonly plain?: boolean;
  readonly markdown?: boolean;
  /** Writes the service's bytes and nothing else, to a terminal too. */
  readonly raw?: boolean;
}

/**
 * The default depends on standard output: styled Markdown for a terminal, the text as it is for a pipe or file.
 * @throws Failure of kind `usage` for two formats
 */
export function chooseAnswerFormat(options: FormatOptions, isTerminal: boolean): AnswerFormat {
  const asked = (['json', 'jsonl', 'plain', 'markdown', 'raw'] as const).filter(
    (name) => options[name] === true,
  );
  if (asked.length > 1) {
    throw new Failure('usage', `--${asked[0]} and --${asked[1]} cannot be used together`, {
      hint: 'choose one output format',
    });
  }
  const [format] = asked;
  if (format === 'raw') return 'exact';
  if (format === 'plain') return isTerminal ? 'plain' : 'text';
  return format ?? (isTerminal ? 'markdown' : 'text');
}

/** Before a prompt is sent, and paid for. @throws Failure `storage` if nobody could read the answer */
export function refuseClosedOutput(stdout: OutputStream): void {
  if (stdout.isClosed?.() !== true) return;
  throw new Failure('storage', 'standard output is closed, so the answer would be lost', {
    hint: 'to discard the answer, redirect it: natter "a prompt" > /dev/null',
  });
}
