import {
  chooseAnswerFormat,
  type AnswerFormat,
  type FormatOptions,
} from '../../output/answer-format.ts';
import {
  exactPrinter,
  jsonLinesPrinter,
  jsonPrinter,
  terminalPrinter,
  unchanged,
  type AnswerPrinter,
  type TextPrinter,
} from '../../output/answer-printer.ts';
import { createSanitizer } from '../../terminal/safety/sanitizer.ts';
import { cleanLine } from '../program/mask-secrets.ts';
import type { Context } from '../program/context.ts';
import type { Presentation } from './presentation.ts';

/** A printer, and how much of the answer it removed for the terminal. */
export interface AnswerOutput<Printer = AnswerPrinter> {
  readonly printer: Printer;
  /** Number of control sequences and hidden characters removed so far. */
  removed(): number;
}

export interface AnswerOutputOptions {
  readonly context: Pick<Context, 'streams' | 'secrets'>;
  readonly presentation: Pick<Presentation, 'style' | 'unicode'>;
  readonly format: AnswerFormat;
}

const none = () => 0;

/** The printer of the text alone. The Markdown stream is loaded only for styled output. */
export async function createTextOutput({
  context,
  presentation,
  format,
}: AnswerOutputOptions): Promise<AnswerOutput<TextPrinter>> {
  const { stdout } = context.streams;
  if (format === 'exact') return { printer: exactPrinter(stdout), removed: none };
  const sanitizer = createSanitizer();
  const removed = () => sanitizer.removed;
  if (format === 'plain')
    return { printer: terminalPrinter(stdout, sanitizer, unchanged), removed };
  const { createMarkdownStream } = await import('../../terminal/markdown/markdown-stream.ts');
  const markdown = createMarkdownStream({
    style: presentation.style,
    width: () => stdout.columns(),
    hyperlinks: stdout.isTerminal && presentation.style.colored,
    unicode: presentation.unicode,
  });
  return { printer: terminalPrinter(stdout, sanitizer, markdown), removed };
}

export async function createAnswerOutput(
  { context, presentation, format }: AnswerOutputOptions,
  askedModel: string,
): Promise<AnswerOutput> {
  const { stdout } = context.streams;
  const clean = (text: string) => cleanLine(context, text);
  if (format === 'json') return { printer: jsonPrinter(stdout, askedModel, clean), removed: none };
  if (format === 'jsonl') return { printer: jsonLinesPrinter(stdout, clean), removed: none };
  return createTextOutput({ context, presentation, format });
}

/** Prints stored Markdown: styled on a terminal, byte for byte into a pipe. */
export async function printMarkdown(
  context: AnswerOutputOptions['context'],
  presentation: AnswerOutputOptions['presentation'],
  text: string | Iterable<string>,
  options: FormatOptions = {},
): Promise<void> {
  const format = chooseAnswerFormat(options, context.streams.stdout.isTerminal);
  const { printer } = await createTextOutput({ context, presentation, format });
  for (const piece of typeof text === 'string' ? [text] : text) {
    await printer.event({ type: 'text-received', text: piece, deltas: [piece] });
  }
  await printer.end();
}
