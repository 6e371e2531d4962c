// What a command works with: the outside world, its options, the settings in force, and how it shows output.
import type { ClientOptions } from './client/client.ts';
import type { ProgramClock } from './clock.ts';
import { isSet, type Environment } from './environment.ts';
import { Failure } from './failure.ts';
import { createNotices } from './output/notices.ts';
import { cleanLine, maskMessage, type Secrets } from './secrets/secrets.ts';
import type { ResolvedSettings } from './settings/resolved-settings.ts';
import { trueOrFalse } from './settings/definitions.ts';
import type { ProcessFacts } from './storage/lock.ts';
import type { Ask } from './terminal/device/ask.ts';
import type { TerminalDevice } from './terminal/device/device.ts';
import { opensLinks, terminalColors } from './terminal/device/terminal-kind.ts';
import type { OutputStream, Streams } from './terminal/device/streams.ts';
import { colorStyle, hasColor, plainStyle, type Style } from './terminal/style.ts';

/** Everything of the outside world that a command may touch. */
export interface Context {
  readonly streams: Streams;
  readonly ask: Ask;
  /** Standard input and output as one terminal, for the REPL. */
  readonly device: TerminalDevice;
  readonly environment: Environment;
  readonly clock: ProgramClock;
  /** A number from 0 up to 1, as `Math.random`. */
  readonly random: () => number;
  /** Aborts on a signal, or when the reader closes standard output. */
  readonly signal: AbortSignal;
  readonly process: ProcessFacts;
  readonly platform: NodeJS.Platform;
  /** Undefined if the system has none. */
  readonly homeDirectory: string | undefined;
  readonly version: string;
  readonly secrets: Secrets;
  /** What the services of one run share: it may open several, for a fallback or a comparison. */
  readonly shared: {
    /** Client options that record all exchanges, or replay them; undefined before the first service that does. */
    recording?: Promise<Partial<ClientOptions>>;
    /** Keys that commands printed, by command. */
    readonly printedKeys: Map<string, Promise<string>>;
  };
}

/** Options of every command, before or after its name. Values of settings are unparsed text. */
export interface GlobalOptions {
  readonly profile?: string;
  readonly sandbox?: boolean;
  readonly color: 'auto' | 'always' | 'never';
  readonly quiet?: boolean;
  /** False with `--no-input`: never ask. */
  readonly input: boolean;
  readonly record?: string;
  readonly replay?: string;
  readonly speed?: string;
  readonly baseUrl?: string;
  readonly apiPath?: string;
  readonly allowInsecure?: boolean;
  readonly retries?: string;
  readonly retryMaxWait?: string;
  readonly connectTimeout?: string;
  readonly firstByteTimeout?: string;
  readonly idleTimeout?: string;
  readonly timeout?: string;
  /** Fields of the request body, as `name=json`. Only commands that send prompts have this and the next options. */
  readonly param?: readonly string[];
  readonly allowSecrets?: boolean;
  readonly redact?: boolean;
  readonly dryRun?: boolean;
  readonly accessible?: boolean;
}

export interface JsonOptions extends GlobalOptions {
  readonly json?: boolean;
}

/** How this run shows output. Standard output and standard error are judged separately. */
export type Presentation = Awaited<ReturnType<typeof present>>;

/** A command that runs, before its settings are read. */
export interface StartedRun<Options extends GlobalOptions = GlobalOptions> {
  readonly context: Context;
  readonly options: Options;
  readonly presentation: Presentation;
}

/** The work of a command; `words` are its arguments. */
export type Action<Options extends GlobalOptions, Words extends readonly unknown[] = []> = (
  run: StartedRun<Options>,
  ...words: Words
) => Promise<void>;

/** A command that runs. It is made at the start, and passed whole. */
export interface Run<Options extends GlobalOptions = GlobalOptions> extends StartedRun<Options> {
  readonly settings: ResolvedSettings;
}

function isUnicode({ environment, platform }: Context): boolean {
  if (platform === 'win32') return true;
  // Its fonts have at most 512 characters.
  if (environment['TERM'] === 'linux') return false;
  const locale = environment['LC_ALL'] || environment['LC_CTYPE'] || environment['LANG'] || '';
  return ['utf-8', 'utf8'].some((charset) => locale.toLowerCase().includes(charset));
}

/**
 * Whether rows may be redrawn: a dumb terminal cannot, and a screen reader would read them again.
 * @throws Failure `configuration` for a variable that is neither true nor false
 */
export function canRedraw(environment: Environment, { accessible }: GlobalOptions): boolean {
  const { TERM: terminal, NATTER_ACCESSIBLE: variable = '' } = environment;
  const isAccessible = accessible ?? (variable === '' ? false : trueOrFalse.parse(variable));
  if (isAccessible !== undefined) return terminal !== 'dumb' && !isAccessible;
  throw new Failure('configuration', `NATTER_ACCESSIBLE must be ${trueOrFalse.expected}`);
}

/** Decides once how the run shows output. */
export async function present(context: Context, options: GlobalOptions) {
  const { streams, environment, secrets } = context;
  const { stderr } = streams;
  const debug = isSet(environment, 'NATTER_DEBUG');
  const canDraw = canRedraw(environment, options);
  // Debug lines would interrupt the rows that are redrawn.
  const isInterrupted = debug && stderr.isTerminal;
  const styleOf = ({ isTerminal }: OutputStream): Style =>
    hasColor(isTerminal, environment, options.color) ? colorStyle : plainStyle;
  return {
    notices: createNotices(stderr, options.quiet === true, (text) => maskMessage(secrets, text)),
    /** Writes one line `natter: debug: …` if `NATTER_DEBUG` is set. */
    debugLog: (text: string): void => {
      if (debug) void stderr.write(`natter: debug: ${cleanLine(context, text)}\n`);
    },
    /** How standard output is styled. */
    style: styleOf(streams.stdout),
    /** How standard error is styled. */
    noticeStyle: styleOf(stderr),
    /** Whether standard error can rewrite a line in place. */
    animated: stderr.isTerminal && canDraw && !debug,
    /** Whether standard output can redraw rows. */
    drawsOutput: streams.stdout.isTerminal && canDraw && !isInterrupted,
    /** Whether standard output is a terminal for which Markdown is written as labelled text. */
    isSpoken: streams.stdout.isTerminal && !canDraw,
    /** Whether the locale is UTF-8, and this is not the Linux console: box drawing and typographic marks can be shown. */
    unicode: isUnicode(context),
    /** Whether the terminal is known to open links. */
    opensLinks: opensLinks(environment),
    colors: terminalColors(environment),
  };
}

/** Starts the run of a command. @throws Failure `configuration` for a variable that is neither true nor false */
export async function startRun<Options extends GlobalOptions>(
  context: Context,
  options: Options,
): Promise<StartedRun<Options>> {
  return { context, options, presentation: await present(context, options) };
}
