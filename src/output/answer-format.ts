import { Failure } from '../failure.ts';

/**
 * How an answer is printed. `exact`: the bytes of the service; `plain`: the same, safe for a terminal; `markdown`:
 * styled; `json`: one document; `jsonl`: one event per line.
 */
export type AnswerFormat = 'exact' | 'plain' | 'markdown' | 'json' | 'jsonl';

export interface FormatOptions {
  readonly json?: boolean;
  readonly jsonl?: boolean;
  readonly plain?: boolean;
  readonly markdown?: boolean;
  /** Writes the service's bytes even to a terminal. */
  readonly raw?: boolean;
}

/**
 * The default depends on standard output: styled Markdown for a terminal, the exact bytes for a pipe or file.
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
  if (format === 'plain') return isTerminal ? 'plain' : 'exact';
  return format ?? (isTerminal ? 'markdown' : 'exact');
}
