import type { Appearance } from '../../src/repl/screen/Rows.tsx';
import { symbolsFor } from '../../src/repl/text/symbols.ts';
import { colorStyle, plainStyle } from '../../src/terminal/style.ts';

export interface Look {
  readonly columns?: number;
  readonly unicode?: boolean;
  readonly colored?: boolean;
}

/** By default plain text of 60 columns with typographic symbols. */
export function appearanceOf({
  columns = 60,
  unicode = true,
  colored = false,
}: Look = {}): Appearance {
  return {
    style: colored ? colorStyle : plainStyle,
    symbols: symbolsFor(unicode),
    columns,
  };
}
