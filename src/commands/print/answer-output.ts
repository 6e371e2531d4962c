import {
  chooseAnswerFormat,
  type AnswerFormat,
  type FormatOptions,
} from '../../output/answer-format.ts';
import {
  exactPrinter,
  jsonLinesPrinter,
  jsonPrinter,
  pipedPrinter,
  terminalPrinter,
  unchanged,
  type AnswerPrinter,
  type TextPrinter,
} from '../../output/answer-printer.ts';
import type { OutputStream } from '../../terminal/device/streams.ts';
import type { TextTransform } from '../../terminal/markdown/block-driver.ts';
import type { WrapMode } from '../../terminal/markdown/markdown-stream.ts';
import type { OwnPaints, Style } from '../../terminal/style.ts';
import type { TerminalColors, ThemeName } from '../../terminal/themes.ts';
import { createSanitizer } from '../../terminal/safety/sanitizer.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import { cleanLine } from '../../secrets/secrets.ts';
import type { Context, Presentation } from '../../run.ts';
import { ownColors as parseColors } from '../../settings/own-colors.ts';
import { createOwnPaints, themedStyle } from '../../terminal/themes.ts';

/** A printer, and how much of the answer it removed for the terminal. */
export interface AnswerOutput<Printer = AnswerPrinter> {
  readonly printer: Printer;
  /** Number of control sequences and hidden characters removed so far. */
  removed(): number;
}

export interface AnswerOutputOptions {
  readonly context: Pick<Context, 'streams' | 'secrets'>;
  readonly presentation: Pick<
    Presentation,
    'style' | 'unicode' | 'isSpoken' | 'opensLinks' | 'colors'
  >;
  readonly format: AnswerFormat;
  readonly wrap?: WrapMode;
  readonly theme?: ThemeName;
  /** The settings `colors.<part>`. */
  readonly ownColors?: ResolvedSettings['colors'];
}

/** The looks of answers in these settings. */
export const lookOf = ({ values: { wrap, theme }, colors }: ResolvedSettings) => ({
  wrap,
  theme,
  ownColors: colors,
});

/** If there are any. @throws Failure `configuration` for a bad colour */
export async function loadOwnPaints(
  colors: ResolvedSettings['colors'],
  terminal: TerminalColors,
): Promise<OwnPaints | undefined> {
  if (Object.keys(colors).length === 0) return undefined;
  return createOwnPaints(parseColors(colors), terminal);
}

const none = () => 0;

export type Look = Pick<AnswerOutputOptions, 'wrap' | 'theme' | 'ownColors'>;

/** The style of answers in a theme, with the user's colours. @throws Failure `configuration` for a bad colour */
export async function answerStyle(
  { style: own, colors }: Pick<Presentation, 'style' | 'colors'>,
  { theme = 'color', ownColors = {} }: Look,
): Promise<Style> {
  const paints = own.colored ? await loadOwnPaints(ownColors, colors) : undefined;
  return themedStyle(theme, own, colors, paints);
}

async function markdownTransform(
  stdout: OutputStream,
  presentation: AnswerOutputOptions['presentation'],
  look: Look,
): Promise<TextTransform> {
  const { isSpoken, unicode, opensLinks } = presentation;
  const { wrap = 'none' } = look;
  const isWrapped = stdout.isTerminal && wrap === 'words';
  if (isSpoken) {
    const { createSpokenMarkdown } = await import('../../terminal/markdown/spoken-markdown.ts');
    return createSpokenMarkdown(() => (isWrapped ? stdout.columns() : Number.POSITIVE_INFINITY));
  }
  const { createMarkdownStream } = await import('../../terminal/markdown/markdown-stream.ts');
  const style = await answerStyle(presentation, look);
  return createMarkdownStream({
    style,
    width: () => stdout.columns(),
    hyperlinks: stdout.isTerminal && style.colored,
    hidesAddresses: opensLinks,
    unicode,
    wrap: isWrapped ? 'words' : 'none',
  });
}

/** The printer of the text alone. The Markdown stream is loaded only for styled output. */
export async function createTextOutput({
  context,
  presentation,
  format,
  ...look
}: AnswerOutputOptions): Promise<AnswerOutput<TextPrinter>> {
  const { stdout } = context.streams;
  if (format === 'exact') return { printer: exactPrinter(stdout), removed: none };
  if (format === 'text') return { printer: pipedPrinter(stdout), removed: none };
  const sanitizer = createSanitizer();
  const removed = () => sanitizer.removed;
  const transform =
    format === 'plain' ? unchanged : await markdownTransform(stdout, presentation, look);
  return { printer: terminalPrinter(stdout, sanitizer, transform), removed };
}

export async function createAnswerOutput(
  { context, presentation, format, ...options }: AnswerOutputOptions,
  askedModel: string,
): Promise<AnswerOutput> {
  const { stdout } = context.streams;
  const clean = (text: string) => cleanLine(context, text);
  if (format === 'json') return { printer: jsonPrinter(stdout, askedModel, clean), removed: none };
  if (format === 'jsonl') return { printer: jsonLinesPrinter(stdout, clean), removed: none };
  // While the service answers: in this turn, a prompt sends its request.
  setImmediate(() => stdout.open?.());
  return createTextOutput({ context, presentation, format, ...options });
}

/** Prints stored Markdown: styled on a terminal, unfiltered into a pipe. */
export async function printMarkdown(
  context: AnswerOutputOptions['context'],
  presentation: AnswerOutputOptions['presentation'],
  text: string | Iterable<string>,
  { wrap, theme, ownColors, ...options }: FormatOptions & Look = {},
): Promise<void> {
  const format = chooseAnswerFormat(options, context.streams.stdout.isTerminal);
  const look = { ...(wrap && { wrap }), ...(theme && { theme }), ...(ownColors && { ownColors }) };
  const { printer } = await createTextOutput({ context, presentation, format, ...look });
  for (const piece of typeof text === 'string' ? [text] : text) {
    await printer.event({ type: 'text-received', text: piece, deltas: [piece] });
  }
  await printer.end();
}
