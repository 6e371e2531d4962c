import type { AnswerFormat } from '../output/answer-format.ts';
import {
  exactPrinter,
  jsonLinesPrinter,
  jsonPrinter,
  terminalPrinter,
  unchanged,
  type AnswerPrinter,
} from '../output/answer-printer.ts';
import { createSanitizer } from '../terminal/sanitizer.ts';
import type { Context } from './context.ts';
import type { Presentation } from './presentation.ts';

/** A printer, and how much of the answer it did not let through to the terminal. */
export interface AnswerOutput {
  readonly printer: AnswerPrinter;
  /** Control sequences and hidden characters removed so far. */
  removed(): number;
}

export interface AnswerOutputOptions {
  readonly context: Context;
  readonly presentation: Presentation;
  readonly format: AnswerFormat;
}

/** The printer of a format; Markdown is loaded only for `markdown`. */
export async function createAnswerOutput(
  { context, presentation, format }: AnswerOutputOptions,
  askedModel: string,
): Promise<AnswerOutput> {
  const { stdout } = context.streams;
  const none = () => 0;
  if (format === 'exact') return { printer: exactPrinter(stdout), removed: none };
  if (format === 'json') return { printer: jsonPrinter(stdout, askedModel), removed: none };
  if (format === 'jsonl') return { printer: jsonLinesPrinter(stdout), removed: none };
  const sanitizer = createSanitizer();
  const removed = () => sanitizer.removed;
  if (format === 'plain')
    return { printer: terminalPrinter(stdout, sanitizer, unchanged), removed };
  const { createMarkdownStream } = await import('../terminal/markdown/markdown-stream.ts');
  const markdown = createMarkdownStream({
    style: presentation.style,
    width: () => stdout.columns(),
    hyperlinks: stdout.isTerminal && presentation.style.colored,
    unicode: presentation.unicode,
  });
  return { printer: terminalPrinter(stdout, sanitizer, markdown), removed };
}
