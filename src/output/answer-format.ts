import { Failure } from '../failure.ts';
import type { Notices } from './notices.ts';
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

/**
 * Says so if standard output is closed. It is no failure: Node opens the null device in its place, as many programs do
 * on purpose for output that they discard.
 */
export function noticeClosedOutput(stdout: OutputStream, notices: Notices): void {
  if (stdout.isClosed?.() !== true) return;
  notices.notice('standard output is closed, so the answer is not printed; natter last prints it');
}
