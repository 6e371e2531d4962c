import type { Environment } from '../../environment.ts';

/** What natter must know of the terminal and cannot ask it for. */
export interface TerminalTraits {
  /** Rows on the screen are wrapped anew when the width changes; most terminals do, xterm itself cuts them. */
  readonly rewraps: boolean;
  /** Milliseconds a window's new size must hold before it is drawn in: until then it may have changed again. */
  readonly resizePause: number;
  /** Updates may be marked to be shown at once (DEC mode 2026); a terminal that does not know this ignores it. */
  readonly synchronized: boolean;
  /** Takes requests for more exact keys; the Linux console would show them. */
  readonly hasKeyProtocols: boolean;
}

/** tmux changes its own rows at once, but tells the program inside at most every 250 ms. */
const multiplexerPause = 300;
const terminalPause = 100;

/** `NATTER_NO_SYNC`, set to anything, is for a terminal that synchronizes badly. */
export function terminalTraits(environment: Environment): TerminalTraits {
  const { TERM: name = '', XTERM_VERSION: xterm, NATTER_NO_SYNC: noSync } = environment;
  const isInMultiplexer = environment['TMUX'] !== undefined;
  const isScreen = environment['STY'] !== undefined && !isInMultiplexer;
  const isConsole = name === 'linux';
  return {
    rewraps: isInMultiplexer || !(isConsole || isScreen || xterm !== undefined),
    // Through ssh only the terminal's name tells.
    resizePause:
      isInMultiplexer || /^(?:tmux|screen)/.test(name) ? multiplexerPause : terminalPause,
    synchronized: !noSync,
    hasKeyProtocols: !isConsole,
  };
}
