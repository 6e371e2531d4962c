/** What a terminal answers. */
export type TerminalReply =
  /** Where the cursor is (CPR), from zero. */
  | { readonly type: 'cursor-column'; readonly column: number }
  /** Which terminal it is (DA2): its parameters, as in `0;276;0`. */
  | { readonly type: 'terminal-kind'; readonly parameters: string };

/** Questions that only the terminal can answer; some never do. */
export interface TerminalQuestions {
  /** Called back with the cursor's column, from zero (DSR 6). */
  readonly askColumn: (answer: (column: number) => void) => void;
  /**
   * Called back with whether the terminal is made with xterm.js, which moves the cursor with every row that a new
   * width adds, also below the cursor.
   */
  readonly askDrift: (answer: (cursorDrifts: boolean) => void) => void;
  /** Takes an answer of the terminal. */
  readonly answered: (reply: TerminalReply) => void;
}

const columnQuestion = '\u001B[6n';
const kindQuestion = '\u001B[>c';
/** No other terminal of this century answers so. Through ssh, and in ttyd or Jupyter, no variable names xterm.js. */
const xtermJs = '0;276;0';

export function createTerminalQuestions(write: (text: string) => void): TerminalQuestions {
  // Terminals answer in order.
  const waiting: ((column: number) => void)[] = [];
  let kind: string | undefined;
  return {
    askColumn(answer) {
      waiting.push(answer);
      write(columnQuestion);
    },
    askDrift(answer) {
      // Every terminal answers the second question; then there is no answer to the first to wait for.
      waiting.push(() => answer(kind === xtermJs));
      write(kindQuestion + columnQuestion);
    },
    answered(reply) {
      if (reply.type === 'terminal-kind') kind = reply.parameters;
      else waiting.shift()?.(reply.column);
    },
  };
}
