import { createContext, useContext } from 'react';
import { plainStyle, type Style } from '../../terminal/style.ts';

/** Symbols of the live region; ASCII if the terminal has no Unicode. */
export interface Symbols {
  /** Between the parts of a line. */
  readonly dot: string;
  /** Before the composer's first row, and before the selected choice. */
  readonly mark: string;
  readonly ellipsis: string;
  /** More text above and below. */
  readonly up: string;
  readonly down: string;
}

export interface Appearance {
  readonly style: Style;
  readonly symbols: Symbols;
  /** Columns the region may use. */
  readonly columns: number;
}

const rich: Symbols = { dot: ' · ', mark: '›', ellipsis: '…', up: '↑', down: '↓' };
const plain: Symbols = { dot: ' - ', mark: '>', ellipsis: '...', up: '^', down: 'v' };

export const symbolsFor = (unicode: boolean): Symbols => (unicode ? rich : plain);

const AppearanceContext = createContext<Appearance>({
  style: plainStyle,
  symbols: plain,
  columns: 80,
});

export const AppearanceProvider = AppearanceContext.Provider;
export const useAppearance = (): Appearance => useContext(AppearanceContext);
