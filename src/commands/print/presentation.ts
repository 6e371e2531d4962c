import { isSet } from '../../environment.ts';
import { createDebugLog, type DebugLog } from '../../output/debug-log.ts';
import { createNotices, type Notices } from '../../output/notices.ts';
import { colorLevel, loadStyle, type Style } from '../../terminal/style.ts';
import type { OutputStream } from '../../terminal/device/streams.ts';
import { cleanLine } from './clean-line.ts';
import type { Context } from '../program/context.ts';
import { maskMessage } from '../program/mask-secrets.ts';
import type { GlobalOptions } from '../program/global-options.ts';

/** How this run shows things: each stream is asked for itself. */
export interface Presentation {
  readonly notices: Notices;
  readonly debugLog: DebugLog;
  /** Looks for standard output. */
  readonly style: Style;
  /** Looks for standard error. */
  readonly noticeStyle: Style;
  /** Standard error can rewrite a line in place. */
  readonly animated: boolean;
  /** Standard output can draw rows again. */
  readonly drawsOutput: boolean;
  /** The locale writes UTF-8, so box drawing and typographic marks can be shown. */
  readonly unicode: boolean;
}

function isUnicode(context: Context): boolean {
  const { environment, platform } = context;
  if (platform === 'win32') return true;
  const locale = environment['LC_ALL'] || environment['LC_CTYPE'] || environment['LANG'] || '';
  return /utf-?8/i.test(locale);
}

function styleOf(stream: OutputStream, context: Context, options: GlobalOptions): Promise<Style> {
  const { environment } = context;
  return loadStyle(
    colorLevel({ isTerminal: stream.isTerminal, environment, option: options.color }),
  );
}

interface AccessOptions {
  readonly accessible?: boolean;
}

/** Whether rows may be drawn again: a dumb terminal cannot, and a screen reader would read them again. */
export function canRedraw({ environment }: Context, { accessible }: AccessOptions): boolean {
  const isAccessible = accessible === true || isSet(environment, 'NATTER_ACCESSIBLE');
  return environment['TERM'] !== 'dumb' && !isAccessible;
}

/** Decides once how the run shows things. */
export async function present(
  context: Context,
  options: GlobalOptions & AccessOptions,
): Promise<Presentation> {
  const { streams, environment, secrets } = context;
  const { stderr } = streams;
  const debug = isSet(environment, 'NATTER_DEBUG');
  const canDraw = canRedraw(context, options);
  // Debug lines would tear what is drawn again.
  const isTorn = debug && stderr.isTerminal;
  return {
    notices: createNotices(stderr, options.quiet === true, (text) => maskMessage(secrets, text)),
    debugLog: createDebugLog({
      stderr,
      enabled: debug,
      clean: (text) => cleanLine(context, text),
    }),
    style: await styleOf(streams.stdout, context, options),
    noticeStyle: await styleOf(stderr, context, options),
    animated: stderr.isTerminal && canDraw && !debug,
    drawsOutput: streams.stdout.isTerminal && canDraw && !isTorn,
    unicode: isUnicode(context),
  };
}
