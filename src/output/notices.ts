import { sanitize, sanitizeLine } from '../terminal/safety/sanitizer.ts';
import type { OutputStream } from '../terminal/device/streams.ts';
import type { AnswerMetadata } from './answer-meter.ts';
import { countOf, count } from './figures.ts';
import { Failure, withCommands } from '../failure.ts';
import { displayWidth } from '../terminal/text/width.ts';
import { hangText } from '../terminal/text/rows.ts';

/**
 * Lines of notices and failures as they are shown, each in rows that break between words and have a hanging indent.
 * @param columns the width of the terminal; undefined breaks no rows
 */
export function noticeRows(text: string, columns: number | undefined): string {
  const lines = text.split('\n').map((line) => {
    const shown = withCommands(line);
    if (columns === undefined || displayWidth(shown) <= columns) return shown;
    // A reader may copy a command: it is in one row if it fits after the indent; if not, the terminal breaks it.
    const joined = withCommands(line, (command) => command.replaceAll(' ', '\u00A0'));
    const mark = /^(?:natter: )?(?:warning: )? */.exec(joined)?.[0] ?? '';
    const rows = hangText(joined.slice(mark.length), columns, ' '.repeat(mark.length));
    return mark + rows.replaceAll('\u00A0', ' ');
  });
  return lines.join('\n');
}

/** Lines beside the answer, on standard error, with commands marked for `withCommands`. */
export interface Notices {
  /** Informational; silent with `--quiet`. */
  notice(text: string): void;
  /** Important; shown with `--quiet` too. Of warnings about one subject, only the first is shown. */
  warning(text: string, subject?: 'storage'): void;
}

/** Prints nothing. */
export const silentNotices: Notices = { notice: () => undefined, warning: () => undefined };

/** Each text becomes one sanitized line, `natter: …`, in rows on a terminal; `mask` redacts secrets. */
export function createNotices(
  stderr: OutputStream,
  quiet: boolean,
  mask: (text: string) => string,
): Notices {
  const line = (text: string) => {
    const columns = stderr.isTerminal ? stderr.columns() : undefined;
    void stderr.write(noticeRows(`natter: ${mask(sanitizeLine(text))}\n`, columns));
  };
  const said = new Set<string>();
  return {
    notice: (text) => (quiet ? undefined : line(text)),
    warning(text, subject) {
      if (subject !== undefined && said.has(subject)) return;
      if (subject !== undefined) said.add(subject);
      line(`warning: ${text}`);
    },
  };
}

/** A notice about an unusual end; undefined for `stop` and for a missing reason. */
export function finishNotice(metadata: AnswerMetadata): string | undefined {
  const { finishReason, timing } = metadata;
  if (finishReason === undefined || finishReason === 'stop') {
    const isEmpty = timing !== undefined && timing.firstText === undefined;
    return isEmpty ? 'the answer is empty' : undefined;
  }
  return finishReason === 'length'
    ? 'the answer reached the token limit (finish_reason length)'
    : `the answer ended with finish_reason ${finishReason}`;
}

export const refusalNotice = (refusal: string): string => `the model refused: ${refusal}`;

/** An answer that does not match, for standard error, so that it is not lost. */
export function receivedAnswer(content: string): string {
  if (content.trim() === '') return '';
  return `natter: the received answer:\n${sanitize(content).replace(/\n?$/, '\n')}`;
}

/** The notice about `<think>…</think>` at the start of an answer. */
export const thoughtNotice =
  'the reasoning (<think>) of the answer is not shown; --reasoning shows it, ‹natter config set think-tags answer› leaves it in the answer';

/** `1 control or hidden character`, `2 control or hidden characters`. */
export function hiddenCharacters(number: number): string {
  return countOf(number, 'control or hidden character');
}

/** Undefined if the sanitizer removed nothing. @param hasRaw whether the command can have `--raw` */
export function filteredNotice(removed: number, hasRaw = false): string | undefined {
  if (removed === 0) return undefined;
  const shown = hasRaw ? '--raw shows them, and ' : '';
  return `${hiddenCharacters(removed)} of the answer not shown; ${shown}a pipe gets them unchanged`;
}

const advice =
  'give the model a larger context in its server (Ollama: num_ctx, llama.cpp: -c), or send less text';

/** The failure of `--strict` if the service has probably cut the prompt. */
export function truncationFailure(metadata: Partial<AnswerMetadata>): Failure | undefined {
  const { estimatedPromptTokens: estimate, countedPromptTokens, usage } = metadata;
  if (estimate === undefined) return undefined;
  const counted = count(countedPromptTokens ?? usage?.prompt_tokens ?? 0);
  const problem = `the service probably cut the prompt: it counted ${counted} tokens of ~${count(estimate)}`;
  return new Failure('truncated_prompt', problem, { hint: advice });
}

/** Undefined for an answer to the whole prompt. */
export function truncationWarning(metadata: Partial<AnswerMetadata>): string | undefined {
  const failure = truncationFailure(metadata);
  return failure && `${failure.message}; ${advice}`;
}
