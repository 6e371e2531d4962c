import { isSet, type Environment } from '../../environment.ts';
import { Failure } from '../../failure.ts';
import { trueOrFalse } from '../../settings/value-types.ts';
import { createNotices, type Notices } from '../../output/notices.ts';
import {
  colorStyle,
  hasColor,
  plainStyle,
  type Style,
  type TerminalColors,
} from '../../terminal/style.ts';
import { terminalColors, opensLinks } from '../../terminal/device/terminal-kind.ts';
import type { OutputStream } from '../../terminal/device/streams.ts';
import { cleanLine, maskMessage } from '../program/secrets.ts';
import type { Context } from '../program/context.ts';
import type { GlobalOptions } from '../program/global-options.ts';

/** Writes one debug line if debugging is enabled. */
export type DebugLog = (text: string) => void;

export interface DebugLogOptions {
  readonly stderr: OutputStream;
  /** `NATTER_DEBUG` is set. */
  readonly enabled: boolean;
  /** Makes text from servers safe to show, and masks secrets. */
  readonly clean: (text: string) => string;
}

/** Lines `natter: debug: …` on standard error. */
export function createDebugLog({ stderr, enabled, clean }: DebugLogOptions): DebugLog {
  if (!enabled) return () => undefined;
  return (text) => void stderr.write(`natter: debug: ${clean(text)}\n`);
}

/** How this run shows output. Standard output and standard error are judged separately. */
export interface Presentation {
  readonly notices: Notices;
  readonly debugLog: DebugLog;
  /** Of standard output. */
  readonly style: Style;
  /** Of standard error. */
  readonly noticeStyle: Style;
  /** Whether standard error can rewrite a line in place. */
  readonly animated: boolean;
  /** Whether standard output can redraw rows. */
  readonly drawsOutput: boolean;
  /** Whether standard output is a terminal for which Markdown is written as labelled text. */
  readonly isSpoken: boolean;
  /** Whether the locale is UTF-8, and this is not the Linux console, so that box drawing and typographic marks can be shown. */
  readonly unicode: boolean;
  /** Whether the terminal is known to open links. */
  readonly opensLinks: boolean;
  readonly colors: TerminalColors;
}

function isUnicode({ environment, platform }: Context): boolean {
  if (platform === 'win32') return true;
  // Its fonts have at most 512 characters.
  if (environment['TERM'] === 'linux') return false;
  const locale = environment['LC_ALL'] || environment['LC_CTYPE'] || environment['LANG'] || '';
  return ['utf-8', 'utf8'].some((charset) => locale.toLowerCase().includes(charset));
}

interface AccessOptions {
  readonly accessible?: boolean;
}

/** @throws Failure `configuration` */
function isTrue(environment: Environment, name: string): boolean {
  const value = isSet(environment, name) ? trueOrFalse.parse(environment[name] ?? '') : false;
  if (value !== undefined) return value;
  throw new Failure('configuration', `${name} must be ${trueOrFalse.expected}`);
}

/**
 * Whether rows may be redrawn: a dumb terminal cannot, and a screen reader would read them again.
 * @throws Failure `configuration` for a variable that is neither true nor false
 */
export function canRedraw(environment: Environment, { accessible }: AccessOptions): boolean {
  const isAccessible = accessible === true || isTrue(environment, 'NATTER_ACCESSIBLE');
  return environment['TERM'] !== 'dumb' && !isAccessible;
}

/** Decides once how the run shows output. */
export async function present(
  context: Context,
  options: GlobalOptions & AccessOptions,
): Promise<Presentation> {
  const { streams, environment, secrets } = context;
  const { stderr } = streams;
  const debug = isSet(environment, 'NATTER_DEBUG');
  const canDraw = canRedraw(environment, options);
  // Debug lines would interrupt the rows that are redrawn.
  const isInterrupted = debug && stderr.isTerminal;
  const styleOf = ({ isTerminal }: OutputStream): Style =>
    hasColor({ isTerminal, environment, option: options.color }) ? colorStyle : plainStyle;
  return {
    notices: createNotices(stderr, options.quiet === true, (text) => maskMessage(secrets, text)),
    debugLog: createDebugLog({
      stderr,
      enabled: debug,
      clean: (text) => cleanLine(context, text),
    }),
    style: styleOf(streams.stdout),
    noticeStyle: styleOf(stderr),
    animated: stderr.isTerminal && canDraw && !debug,
    drawsOutput: streams.stdout.isTerminal && canDraw && !isInterrupted,
    isSpoken: streams.stdout.isTerminal && !canDraw,
    unicode: isUnicode(context),
    opensLinks: opensLinks(environment),
    colors: terminalColors(environment),
  };
}
