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
  /** natter changes the shape of the cursor, which is then reset at the end. */
  readonly shapesCursor?: boolean;
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

export type TerminalReply =
  /** Where the cursor is (CPR), from zero. */
  | { readonly type: 'cursor-column'; readonly column: number }
  /** Which terminal it is (DA2): its parameters, as in `0;276;0`. */
  | { readonly type: 'terminal-kind'; readonly parameters: string }
  /** The window got or lost the focus; sent while focus reports are on. */
  | { readonly type: 'focus'; readonly hasFocus: boolean }
  /** The background (OSC 11). */
  | { readonly type: 'background'; readonly shade: 'light' | 'dark' };

/** Queries to the terminal; some terminals never reply. */
export interface TerminalQueries {
  /** Calls back with the cursor's column, from zero (DSR 6). */
  readonly askColumn: (answer: (column: number) => void) => void;
  /**
   * Calls back with whether the terminal is based on xterm.js, which moves the cursor with every row that a resize
   * adds, even below the cursor.
   */
  readonly askDrift: (answer: (cursorDrifts: boolean) => void) => void;
  readonly answered: (reply: TerminalReply) => void;
}

const columnQuery = '\u001B[6n';
const kindQuery = '\u001B[>c';
/** The reply of xterm.js only. Over SSH, and in ttyd or Jupyter, no environment variable identifies it. */
const xtermJs = '0;276;0';

export function createTerminalQueries(write: (text: string) => void): TerminalQueries {
  // Terminals reply in order.
  const waiting: ((column: number) => void)[] = [];
  let kind: string | undefined;
  return {
    askColumn(answer) {
      waiting.push(answer);
      write(columnQuery);
    },
    askDrift(answer) {
      // Every terminal replies to the second query; after that, no reply to the first can follow.
      waiting.push(() => answer(kind === xtermJs));
      write(kindQuery + columnQuery);
    },
    answered(reply) {
      if (reply.type === 'terminal-kind') kind = reply.parameters;
      else if (reply.type === 'cursor-column') waiting.shift()?.(reply.column);
    },
  };
}
