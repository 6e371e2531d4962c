const rich = {
  /** Separates the parts of a line. */
  dot: ' · ',
  /** Stands before the composer's first row, a sent prompt, and the selected choice. */
  mark: '›',
  /** Stands before a failure. */
  cross: '✗',
  /** The end of a text that was cut: one column, as the ellipsis of Ink. */
  ellipsis: '…',
  /** More text above and below. */
  up: '↑',
  down: '↓',
  /** Repeated, it is the rule above the composer. */
  rule: '─',
  /** The frames of the spinner, one column each. */
  spinner: '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏',
};

export type Symbols = typeof rich;

const plain: Symbols = {
  dot: ' - ',
  mark: '>',
  cross: '!',
  ellipsis: '~',
  up: '^',
  down: 'v',
  rule: '-',
  spinner: '|/-\\',
};

/** Symbols of the live region and the transcript; ASCII if the terminal has no Unicode. */
export const symbolsFor = (unicode: boolean): Symbols => (unicode ? rich : plain);
