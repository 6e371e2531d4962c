import { Failure } from '../failure.ts';
import {
  chooseAnswerFormat,
  type AnswerFormat,
  type FormatOptions,
  exactPrinter,
  jsonLinesPrinter,
  jsonPrinter,
  pipedPrinter,
  terminalPrinter,
  unchanged,
  type AnswerPrinter,
  type TextPrinter,
} from './answer-printer.ts';
import type { Context, GlobalOptions, Presentation } from '../run.ts';
import { cleanLine } from '../secrets/secrets.ts';
import { ownColors as parseColors } from '../settings/own-colors.ts';
import { readSettings } from '../settings/read-settings.ts';
import type { ResolvedSettings } from '../settings/resolved-settings.ts';
import { Interruption } from '../terminal/device/signals.ts';
import type { OutputStream } from '../terminal/device/streams.ts';
import type { TextTransform } from '../terminal/markdown/block-driver.ts';
import type { WrapMode } from '../terminal/markdown/markdown-stream.ts';
import {
  type OwnPaints,
  type Style,
  type TerminalColors,
  type ThemeName,
  createOwnPaints,
  themedStyle,
} from '../terminal/style.ts';
import { createSanitizer } from '../terminal/safety/sanitizer.ts';

/** How Markdown is shown. */
export interface Look {
  readonly wrap?: WrapMode;
  readonly theme?: ThemeName;
  /** The settings `colors.<part>`. */
  readonly ownColors?: ResolvedSettings['colors'];
}

/** The part of a run that prints answers. */
interface Printing {
  readonly context: Context;
  readonly presentation: Presentation;
  readonly format: AnswerFormat;
}

/** The looks of answers in these settings. */
export const lookOf = ({ values: { wrap, theme }, colors }: ResolvedSettings) => ({
  wrap,
  theme,
  ownColors: colors,
});

/** The paints of the user's colours, if there are any. @throws Failure `configuration` for a bad colour */
export function readOwnPaints(
  colors: ResolvedSettings['colors'],
  terminal: TerminalColors,
): OwnPaints | undefined {
  return Object.keys(colors).length === 0
    ? undefined
    : createOwnPaints(parseColors(colors), terminal);
}

/** The style of answers in a theme, with the user's colours. @throws Failure `configuration` for a bad colour */
export function answerStyle(
  { style: own, colors }: Presentation,
  { theme = 'color', ownColors = {} }: Look,
): Style {
  const paints = own.colored ? readOwnPaints(ownColors, colors) : undefined;
  return themedStyle(theme, own, colors, paints);
}

async function markdownTransform(
  stdout: OutputStream,
  presentation: Presentation,
  look: Look,
): Promise<TextTransform> {
  const { isSpoken, unicode, opensLinks } = presentation;
  const { wrap = 'none' } = look;
  const isWrapped = stdout.isTerminal && wrap === 'words';
  if (isSpoken) {
    const { createSpokenMarkdown } = await import('../terminal/markdown/spoken-markdown.ts');
    return createSpokenMarkdown(() => (isWrapped ? stdout.columns() : Number.POSITIVE_INFINITY));
  }
  const { createMarkdownStream } = await import('../terminal/markdown/markdown-stream.ts');
  const style = answerStyle(presentation, look);
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
export async function createTextPrinter(
  { context, presentation, format }: Printing,
  look: Look = {},
): Promise<TextPrinter> {
  const { stdout } = context.streams;
  if (format === 'exact') return exactPrinter(stdout);
  if (format === 'text') return pipedPrinter(stdout);
  const transform =
    format === 'plain' ? unchanged : await markdownTransform(stdout, presentation, look);
  return terminalPrinter(stdout, createSanitizer(), transform, () => {
    const reason: unknown = context.signal.reason;
    return reason instanceof Interruption && reason.signal === 'SIGINT';
  });
}

export async function createAnswerPrinter(
  run: Printing,
  look: Look,
  askedModel: string,
): Promise<AnswerPrinter> {
  const { stdout } = run.context.streams;
  const clean = (text: string) => cleanLine(run.context, text);
  if (run.format === 'json') return jsonPrinter(stdout, askedModel, clean);
  if (run.format === 'jsonl') return jsonLinesPrinter(stdout, clean);
  return createTextPrinter(run, look);
}

/** Prints stored Markdown: styled on a terminal, unfiltered into a pipe. */
export async function printMarkdown(
  context: Context,
  presentation: Presentation,
  text: string | Iterable<string>,
  options: FormatOptions & Look = {},
): Promise<void> {
  const format = chooseAnswerFormat(options, context.streams.stdout.isTerminal);
  const printer = await createTextPrinter({ context, presentation, format }, options);
  for (const piece of typeof text === 'string' ? [text] : text) {
    await printer.event({ type: 'text-received', text: piece, deltas: [piece] });
  }
  await printer.end();
}

/** The wrapping, the theme and the colours of the user for stored answers. Settings that cannot be read do not hide an answer. */
export async function storedLook(
  context: Context,
  { notices }: Presentation,
  options: GlobalOptions,
): Promise<Look> {
  if (!context.streams.stdout.isTerminal) return {};
  try {
    return lookOf(readSettings(context, notices, options));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    notices.warning(`${error.message}; the answer has the default theme`);
    return {};
  }
}
