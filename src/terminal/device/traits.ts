import type { Environment } from '../../environment.ts';

/** Properties of the terminal that cannot be queried. */
export interface TerminalTraits {
  /** A resize rewraps the rows on the screen, as in most terminals; xterm truncates them. */
  readonly rewraps: boolean;
  /** Milliseconds for which a new size must be stable before the region is redrawn. */
  readonly resizePause: number;
  /** Synchronized updates (DEC mode 2026), which other terminals ignore. */
  readonly synchronized: boolean;
  /** Supports key protocols; the Linux console would print the requests. */
  readonly hasKeyProtocols: boolean;
}

/** tmux changes its own rows at once, but signals the program inside at most every 250 ms. */
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
    // Over SSH only the terminal's name is available.
    resizePause:
      isInMultiplexer || /^(?:tmux|screen)/.test(name) ? multiplexerPause : terminalPause,
    synchronized: !noSync,
    hasKeyProtocols: !isConsole,
  };
}
