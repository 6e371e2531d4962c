import type { Environment } from '../../environment.ts';

/** Properties of the terminal that cannot be queried. */
export interface TerminalTraits {
  /** A resize rewraps the rows on the screen, as in most terminals; xterm truncates them. */
  readonly rewraps: boolean;
  /** The cursor moves down with every row that rewrapping adds, even below the cursor. */
  readonly cursorDrifts: boolean;
  /** Milliseconds for which a new size must be stable before the region is redrawn. */
  readonly resizePause: number;
  /** Synchronized updates (DEC mode 2026), which other terminals ignore. */
  readonly synchronized: boolean;
  /** Supports key protocols; the Linux console would print the requests. */
  readonly hasKeyProtocols: boolean;
  /** natter changes the shape of the cursor, which is then reset at the end. */
  readonly shapesCursor?: boolean;
}

/** tmux changes its own rows at once, but signals the program inside at most every 250 ms. */
const multiplexerPause = 300;
const terminalPause = 100;

/** Programs whose terminal is xterm.js. Over SSH nothing identifies them, and a stray row may remain after a resize. */
const driftingPrograms = new Set(['vscode', 'Hyper', 'Tabby']);

/** `NATTER_NO_SYNC`, set to anything, is for a terminal that synchronizes badly. */
export function terminalTraits(environment: Environment): TerminalTraits {
  const { TERM: name = '', XTERM_VERSION: xterm, NATTER_NO_SYNC: noSync } = environment;
  const isInMultiplexer = environment['TMUX'] !== undefined;
  const isScreen = environment['STY'] !== undefined && !isInMultiplexer;
  const isDrifting = driftingPrograms.has(environment['TERM_PROGRAM'] ?? '');
  const isConsole = name === 'linux';
  return {
    rewraps: isInMultiplexer || !(isConsole || isScreen || xterm !== undefined),
    cursorDrifts: isDrifting && !isInMultiplexer && !isScreen,
    // Over SSH only the terminal's name is available.
    resizePause:
      isInMultiplexer || /^(?:tmux|screen)/.test(name) ? multiplexerPause : terminalPause,
    synchronized: !noSync,
    hasKeyProtocols: !isConsole,
  };
}

export type TerminalReply =
  /** The window got or lost the focus; sent while focus reports are on. */
  | { readonly type: 'focus'; readonly hasFocus: boolean }
  /** The background (OSC 11). */
  | { readonly type: 'background'; readonly shade: 'light' | 'dark' };
