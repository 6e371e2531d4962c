/** Symbols of the live region and the transcript; ASCII if the terminal has no Unicode. */
export interface Symbols {
  /** Separates the parts of a line. */
  readonly dot: string;
  /** Stands before the composer's first row, a sent prompt, and the selected choice. */
  readonly mark: string;
  /** Stands before a failure. */
  readonly cross: string;
  /** The end of a text that was cut: one column, as the ellipsis of Ink. */
  readonly ellipsis: string;
  /** More text above and below. */
  readonly up: string;
  readonly down: string;
  /** Repeated, it is the rule above the composer. */
  readonly rule: string;
  /** The frames of the spinner, one column each. */
  readonly spinner: readonly string[];
}

const rich: Symbols = {
  dot: ' · ',
  mark: '›',
  cross: '✗',
  ellipsis: '…',
  up: '↑',
  down: '↓',
  rule: '─',
  spinner: ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'],
};

const plain: Symbols = {
  dot: ' - ',
  mark: '>',
  cross: '!',
  ellipsis: '~',
  up: '^',
  down: 'v',
  rule: '-',
  spinner: ['|', '/', '-', '\\'],
};

export const symbolsFor = (unicode: boolean): Symbols => (unicode ? rich : plain);
