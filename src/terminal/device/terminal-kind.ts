import type { Environment } from '../../environment.ts';
import type { TerminalColors } from '../style.ts';

/** Properties of the terminal that cannot be queried. */
export type TerminalTraits = Readonly<ReturnType<typeof terminalTraits>> & {
  /** natter changes the shape of the cursor, which is then reset at the end. */
  readonly shapesCursor?: boolean;
};

/** tmux changes its own rows at once, but signals the program inside at most every 250 ms. */
const multiplexerPause = 300;
const terminalPause = 100;

/** Programs whose terminal is xterm.js. Over SSH nothing identifies them, and a stray row may remain after a resize. */
const driftingPrograms = new Set(['vscode', 'Hyper', 'Tabby']);

/** `NATTER_NO_SYNC`, set to anything, is for a terminal that synchronizes badly. */
export function terminalTraits(environment: Environment) {
  const { TERM: name = '', XTERM_VERSION: xterm, NATTER_NO_SYNC: noSync } = environment;
  const isInMultiplexer = environment['TMUX'] !== undefined;
  const isScreen = environment['STY'] !== undefined && !isInMultiplexer;
  const isDrifting = driftingPrograms.has(environment['TERM_PROGRAM'] ?? '');
  const isConsole = name === 'linux';
  return {
    /** A resize rewraps the rows on the screen, as in most terminals; xterm truncates them. */
    rewraps: isInMultiplexer || !(isConsole || isScreen || xterm !== undefined),
    /** The cursor moves down with every row that rewrapping adds, even below the cursor. */
    cursorDrifts: isDrifting && !isInMultiplexer && !isScreen,
    /** Milliseconds for which a new size must be stable before the region is redrawn. */
    resizePause:
      // Over SSH only the terminal's name is available.
      isInMultiplexer || /^(?:tmux|screen)/.test(name) ? multiplexerPause : terminalPause,
    /** Synchronized updates (DEC mode 2026), which other terminals ignore. */
    synchronized: !noSync,
    /** Supports key protocols; the Linux console would print the requests. */
    hasKeyProtocols: !isConsole,
  };
}

export type TerminalReply =
  /** The window got or lost the focus; sent while focus reports are on. */
  | { readonly type: 'focus'; readonly hasFocus: boolean }
  /** The background (OSC 11). */
  | { readonly type: 'background'; readonly shade: 'light' | 'dark' };

const namesWithRgb = ['direct', 'kitty', 'ghostty', 'alacritty', 'foot', 'wezterm'];

/** The terminal's colours, as far as the environment shows them. */
export function terminalColors(environment: Environment): TerminalColors {
  const { TERM: name = '', COLORTERM: depth = '', COLORFGBG: colors = '' } = environment;
  const hasRgb =
    namesWithRgb.some((part) => name.includes(part)) ||
    ['truecolor', '24bit'].includes(depth) ||
    environment['WT_SESSION'] !== undefined;
  // `0;15`, `15;default;0`: the foreground and the background as numbers of the 16 colours, as rxvt and Konsole set it.
  const number = Number(/;(\d+)$/.exec(colors)?.[1] ?? 16);
  const shade = number === 7 || number > 8 ? 'light' : 'dark';
  const background = number > 15 ? undefined : shade;
  return { background, hasMany: hasRgb || name.includes('256'), hasRgb };
}

/** Whether black text has more contrast (WCAG 2) on a colour, whose parts are from 0 to 1, than white text. */
export function isLightColor(red: number, green: number, blue: number): boolean {
  const linear = (part: number) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue) > 0.179;
}

/** `TERM_PROGRAM` or `TERM` of terminals with marks of prompts. */
const withMarks =
  /^(?:iTerm\.app|WezTerm|wezterm|vscode|ghostty|xterm-ghostty|xterm-kitty|foot|contour)/;
/** All of them open links, too. */
const withLinks = new RegExp(`${withMarks.source}|^(?:alacritty|mintty|rio|Tabby)`);

/** @param first the first versions of Konsole and of VTE, the library of GNOME Terminal and others */
function isKnown(
  names: RegExp,
  first: { readonly konsole: number; readonly vte: number },
  environment: Environment,
): boolean {
  const { TERM: name = '', TERM_PROGRAM: program = '' } = environment;
  const { TMUX: tmux, STY: screen, WT_SESSION: windowsTerminal } = environment;
  // What a multiplexer passes on depends on its version and on the terminal around it.
  if (tmux !== undefined || screen !== undefined || /^(?:tmux|screen)/.test(name)) return false;
  return (
    names.test(program) ||
    names.test(name) ||
    windowsTerminal !== undefined ||
    Number(environment['KONSOLE_VERSION']) >= first.konsole ||
    Number(environment['VTE_VERSION']) >= first.vte
  );
}

/**
 * Whether the terminal is known to open links (OSC 8). Others ignore them, and would show their text alone.
 * `FORCE_HYPERLINK`, as in other programs, is `0` for no and anything else for yes.
 */
export function opensLinks(environment: Environment): boolean {
  const { FORCE_HYPERLINK: forced } = environment;
  if (forced) return forced !== '0';
  return isKnown(withLinks, { konsole: 201_200, vte: 5000 }, environment);
}

/** Whether the terminal is known to use the marks of prompts (OSC 133). tmux uses them itself since 3.4. */
export function usesPromptMarks(environment: Environment): boolean {
  const { TERM_PROGRAM: program, TERM_PROGRAM_VERSION: version = '' } = environment;
  return program === 'tmux'
    ? /(?:^|-)(?:3\.(?:[4-9]|\d\d)|[4-9]\.|\d\d)/.test(version)
    : isKnown(withMarks, { konsole: 220_800, vte: Number.POSITIVE_INFINITY }, environment);
}
