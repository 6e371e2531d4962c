import { chooseAnswerFormat, type FormatOptions } from '../output/answer-format.ts';
import { createTextOutput } from './answer-output.ts';
import type { Context } from './context.ts';
import type { Presentation } from './presentation.ts';

/** Prints Markdown that is stored: styled on a terminal, byte for byte into a pipe. */
export async function printMarkdown(
  context: Context,
  presentation: Presentation,
  text: string,
  options: FormatOptions = {},
): Promise<void> {
  const format = chooseAnswerFormat(options, context.streams.stdout.isTerminal);
  const { printer } = await createTextOutput({ context, presentation, format });
  await printer.event({ type: 'text-received', text, deltas: [text] });
  await printer.end();
}
