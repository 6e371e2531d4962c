import type { AnswerOutcome } from './answer-meter.ts';
import type { ChatEvent } from '../client/events.ts';
import type { TextTransform } from '../terminal/markdown/block-driver.ts';
import { createSanitizer } from '../terminal/safety/sanitizer.ts';
import type { OutputStream } from '../terminal/device/streams.ts';
import { failureFields } from './ending-failure.ts';
import { answerLine, eventRecords, jsonLine, timingFields } from './json-answer.ts';
import { exclusive, Failure } from '../failure.ts';
import type { Context, GlobalOptions, Presentation } from '../run.ts';
import { readSettings } from '../settings/read-settings.ts';
import type { ResolvedSettings } from '../settings/resolved-settings.ts';
import { Interruption } from '../terminal/device/signals.ts';
import { type Style, createOwnPaints, themedStyle } from '../terminal/style.ts';

/** The heading of an answer in the format of `head` and `tail`. */
export function heading(label: string, style: Style): string {
  return `${style.bold(`==> ${label} <==`)}\n`;
}

/** Prints one answer to standard output as its events arrive. */
export interface AnswerPrinter {
  /** A promise is returned while the reader is slow: await it before the next event. */
  event(event: ChatEvent): Promise<void> | undefined;
  /** Call when the prompt has ended, with or without an answer: prints the rest and closes the document. */
  end(answer: AnswerOutcome): Promise<void>;
  /** Prints a further record; only the format with a line for each event has one. */
  record?(value: object): Promise<void> | undefined;
  /** The number of control sequences and hidden characters removed so far, for a terminal. */
  removed?(): number;
}

/** Prints the text of an answer alone; its end ends the last line, unless the text is exact. */
export interface TextPrinter extends AnswerPrinter {
  end(): Promise<void>;
}

export const unchanged: TextTransform = { write: (text) => text, end: () => '' };

/**
 * One line for each event; the last one is `answer-finished` or `answer-failed`, with the further fields.
 * @param asked the model that each line names, if there are several
 */
export function jsonLinesPrinter(
  context: Context,
  moreFields?: () => object,
  asked?: string,
): AnswerPrinter {
  const { stdout } = context.streams;
  const line = (record: object, more?: object) => jsonLine({ asked, ...record, ...more });
  return {
    event(event) {
      const more = event.type === 'answer-finished' ? moreFields?.() : undefined;
      const lines = eventRecords(event).map((record) => line(record, more));
      return stdout.write(lines.join(''));
    },
    record: (value) => stdout.write(line(value)),
    async end({ metadata, failure, checked }) {
      if (checked !== undefined) {
        const found = line({ type: 'answer-checked', ...checked.fields });
        await stdout.write(checked.withValue(found));
      }
      if (failure === undefined) return;
      const measured = { attempts: metadata.attempts, timing: timingFields(metadata.timing) };
      const record = { type: 'answer-failed', ...measured, ...failureFields(failure, context) };
      await stdout.write(line(record, moreFields?.()));
    },
  };
}

/**
 * How an answer is printed. `exact`: the bytes of the service; `text`: the same, and a line end if there is none;
 * `plain`: safe for a terminal; `markdown`: styled; `json`: one document; `jsonl`: one event per line.
 */
export type AnswerFormat = 'exact' | 'text' | 'plain' | 'markdown' | 'json' | 'jsonl';

const formats = ['json', 'jsonl', 'plain', 'markdown', 'raw'] as const;

/** `raw` writes the service's bytes and nothing else, to a terminal too. */
export type FormatOptions = { readonly [Format in (typeof formats)[number]]?: boolean };

/**
 * The default depends on standard output: styled Markdown for a terminal, the text as it is for a pipe or file.
 * @throws Failure of kind `usage` for two formats
 */
export function chooseAnswerFormat(options: FormatOptions, isTerminal: boolean): AnswerFormat {
  const [format, other] = formats.filter((name) => options[name] === true);
  if (other !== undefined) throw exclusive(`--${format}`, `--${other}`, 'choose one output format');
  if (format === 'raw') return 'exact';
  if (format === 'plain') return isTerminal ? 'plain' : 'text';
  return format ?? (isTerminal ? 'markdown' : 'text');
}

/**
 * Refuses a prompt before it is sent if its answer would be neither printed nor saved. Anything else only says that
 * nothing is printed: to discard it, daemon(3), Python's DEVNULL and Node's `ignore` pass on a null device that looks
 * the same.
 * @throws Failure `storage`
 */
export function refuseClosedOutput(stdout: OutputStream, isSaved: boolean): void {
  if (isSaved || !stdout.isClosed()) return;
  throw new Failure('storage', 'standard output is closed, so the answer would be lost', {
    hint: 'redirect it to a file, or to /dev/null to discard the answer',
  });
}

/** The part of a run that prints answers. */
interface Printing {
  readonly context: Context;
  readonly presentation: Presentation;
  readonly format: AnswerFormat;
  /** What the JSON has besides the answer, such as the conversation. */
  readonly jsonFields?: (() => object) | undefined;
}

/** The style of answers in the theme of the settings, with the user's colours. */
export function answerStyle(
  { style, colors }: Presentation,
  settings: ResolvedSettings | undefined,
): Style {
  const own = createOwnPaints(settings?.colors ?? {}, colors);
  return themedStyle(settings?.values.theme ?? 'color', style, colors, own);
}

async function markdownTransform(
  stdout: OutputStream,
  presentation: Presentation,
  settings: ResolvedSettings | undefined,
): Promise<TextTransform> {
  const { isSpoken, unicode, opensLinks } = presentation;
  const isWrapped = stdout.isTerminal && settings?.values.wrap === 'words';
  if (isSpoken) {
    const { SpokenMarkdown } = await import('../terminal/markdown/spoken-markdown.ts');
    return new SpokenMarkdown(() => (isWrapped ? stdout.columns() : Number.POSITIVE_INFINITY));
  }
  const { ScreenMarkdown } = await import('../terminal/markdown/markdown-stream.ts');
  const style = answerStyle(presentation, settings);
  return new ScreenMarkdown({
    style,
    width: () => stdout.columns(),
    hyperlinks: stdout.isTerminal && style.colored,
    hidesAddresses: opensLinks,
    unicode,
    wrap: isWrapped ? 'words' : 'none',
  });
}

/**
 * Prints the text of an answer: as it is into a pipe; sanitized, then styled for a terminal. Unless it must be exact, a
 * line end follows text that has none, because programs read lines. The Markdown stream is loaded only for styled output.
 * @param settings have the look
 */
export async function createTextPrinter(
  { context, presentation, format }: Printing,
  settings?: ResolvedSettings,
): Promise<TextPrinter> {
  const { stdout } = context.streams;
  const isAsReceived = format === 'exact' || format === 'text';
  const sanitizer = isAsReceived ? undefined : createSanitizer();
  const transform =
    format === 'markdown' ? await markdownTransform(stdout, presentation, settings) : unchanged;
  let last = '\n';
  const print = (text: string) => {
    last = text.at(-1) ?? last;
    return text === '' ? undefined : stdout.write(text);
  };
  return {
    removed: () => sanitizer?.removed ?? 0,
    event(event) {
      if (event.type !== 'text-received') return undefined;
      return print(transform.write(sanitizer?.write(event.text) ?? event.text));
    },
    async end() {
      const held = transform.write(sanitizer?.end() ?? '') + transform.end();
      const reason: unknown = context.signal.reason;
      const isInterrupted = reason instanceof Interruption && reason.signal === 'SIGINT';
      // The terminal has shown ^C after the text, and the rest must not continue that.
      const isBelow = isInterrupted && !isAsReceived;
      await print(isBelow ? `\n${held.replace(/^ +/, '')}` : held);
      if (format !== 'exact' && last !== '\n') await stdout.write('\n');
    },
  };
}

export async function createAnswerPrinter(
  run: Printing,
  settings: ResolvedSettings,
  askedModel: string,
): Promise<AnswerPrinter> {
  const { context, format, jsonFields } = run;
  if (format === 'jsonl') return jsonLinesPrinter(context, jsonFields);
  if (format !== 'json') return createTextPrinter(run, settings);
  // One document when the prompt has ended (docs/scripts.md, "JSON").
  return {
    event: () => undefined,
    async end(answer) {
      const line = answerLine(answer, askedModel, context, jsonFields?.());
      await context.streams.stdout.write(line);
    },
  };
}

/** Prints Markdown: styled on a terminal, unfiltered into a pipe. @returns how many characters were not shown */
export async function printMarkdown(
  context: Context,
  presentation: Presentation,
  pieces: readonly string[] | Generator<string>,
  options: FormatOptions = {},
  settings?: ResolvedSettings,
): Promise<number> {
  const format = chooseAnswerFormat(options, context.streams.stdout.isTerminal);
  const printer = await createTextPrinter({ context, presentation, format }, settings);
  for (const text of pieces) await printer.event({ type: 'text-received', text, deltas: [text] });
  await printer.end();
  return printer.removed?.() ?? 0;
}

/** The settings with the look of stored answers on a terminal. Settings that cannot be read do not hide an answer. */
export function settingsForStored(
  context: Context,
  { notices }: Presentation,
  options: GlobalOptions,
): ResolvedSettings | undefined {
  if (!context.streams.stdout.isTerminal) return undefined;
  try {
    return readSettings(context, notices, options);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    notices.warning(`${error.message}; the answer has the default theme`);
    return undefined;
  }
}
