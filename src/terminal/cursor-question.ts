/** Where the cursor stands, as only the terminal knows (DSR 6). */
export interface CursorQuestion {
  /** `onAnswer` is called with the column, from zero, when the terminal tells; some never do. */
  readonly ask: (onAnswer: (column: number) => void) => void;
  /** The terminal has told. */
  readonly answered: (column: number) => void;
}

const question = '\u001B[6n';

export function createCursorQuestion(write: (text: string) => void): CursorQuestion {
  // Terminals answer in order.
  const waiting: ((column: number) => void)[] = [];
  return {
    ask(onAnswer) {
      waiting.push(onAnswer);
      write(question);
    },
    answered: (column) => waiting.shift()?.(column),
  };
}
