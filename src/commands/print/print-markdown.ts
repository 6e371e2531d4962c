import { chooseAnswerFormat, type FormatOptions } from '../../output/answer-format.ts';
import { createTextOutput } from './answer-output.ts';
import type { Context } from '../program/context.ts';
import type { Presentation } from './presentation.ts';

/** Prints Markdown that is stored, whole or in pieces: styled on a terminal, byte for byte into a pipe. */
export async function printMarkdown(
  context: Context,
  presentation: Presentation,
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
