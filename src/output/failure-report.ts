import type { Failure } from '../failure.ts';
import { failureFields } from './ending-failure.ts';

export interface FailureReportOptions {
  /** One JSON line instead of text. */
  readonly json: boolean;
  /** Adds stack traces (`NATTER_DEBUG`). */
  readonly debug: boolean;
  /** Sanitizes text from servers and files, and masks secrets. */
  readonly clean: (text: string) => string;
}

function stacks(failure: Failure, clean: (text: string) => string): string {
  const lines: string[] = [];
  for (let error: unknown = failure; error instanceof Error; error = error.cause) {
    lines.push(...(error.stack ?? String(error)).split('\n'));
  }
  return lines.map((line) => `  ${clean(line)}\n`).join('');
}

/** The message with the request's id, in the brackets of the attempts if it has them: `(5 attempts, request abc)`. */
function withRequest({ message, attempts, requestId }: Failure): string {
  if (requestId === undefined) return message;
  const ending = ` (${attempts} attempts)`;
  return message.endsWith(ending)
    ? `${message.slice(0, -1)}, request ${requestId})`
    : `${message} (request ${requestId})`;
}

/**
 * The report on standard error: `natter: <what happened>`, and on the next line the hint.
 * The JSON form is that of {@link failureFields}.
 */
export function reportFailure(failure: Failure, options: FailureReportOptions): string {
  const { clean } = options;
  const trace = options.debug ? stacks(failure, clean) : '';
  if (options.json) return `${JSON.stringify(failureFields(failure, clean))}\n${trace}`;
  const hint = failure.hint === undefined ? '' : `  ${clean(failure.hint)}\n`;
  return `natter: ${clean(withRequest(failure))}\n${hint}${trace}`;
}
