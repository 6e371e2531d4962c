/** What natter must know of the terminal and cannot ask it for. */
export interface TerminalTraits {
  /** Rows on the screen are wrapped anew when the width changes; most terminals do, xterm itself cuts them. */
  readonly rewraps: boolean;
  /** Updates may be marked to be shown at once (DEC mode 2026); a terminal that does not know this ignores it. */
  readonly synchronized: boolean;
  /** Takes requests for more exact keys; the Linux console would show them. */
  readonly hasKeyProtocols: boolean;
}

/** `NATTER_NO_SYNC`, set to anything, is for a terminal that synchronizes badly. */
export function terminalTraits(
  environment: Readonly<Record<string, string | undefined>>,
): TerminalTraits {
  const { TERM: name = '', XTERM_VERSION: xterm, NATTER_NO_SYNC: noSync } = environment;
  const isInMultiplexer = environment['TMUX'] !== undefined;
  const isScreen = environment['STY'] !== undefined && !isInMultiplexer;
  const isConsole = name === 'linux';
  return {
    rewraps: isInMultiplexer || !(isConsole || isScreen || xterm !== undefined),
    synchronized: !noSync,
    hasKeyProtocols: !isConsole,
  };
}
