import { symbolsFor, type Appearance } from '../../src/repl/view/appearance.ts';
import { createChalkStyle } from '../../src/terminal/chalk-style.ts';
import { plainStyle } from '../../src/terminal/style.ts';

export interface Look {
  readonly columns?: number;
  readonly unicode?: boolean;
  readonly colored?: boolean;
}

/** How a test's live region looks: plain text of 60 columns, typographic symbols by default. */
export function appearanceOf({
  columns = 60,
  unicode = true,
  colored = false,
}: Look = {}): Appearance {
  return {
    style: colored ? createChalkStyle() : plainStyle,
    symbols: symbolsFor(unicode),
    columns,
  };
}
