import { createContext, useContext } from 'react';
import { plainStyle, type Style } from '../../terminal/style.ts';
import { symbolsFor, type Symbols } from '../text/symbols.ts';

export interface Appearance {
  readonly style: Style;
  readonly symbols: Symbols;
  /** Columns the region may use. */
  readonly columns: number;
}

const AppearanceContext = createContext<Appearance>({
  style: plainStyle,
  symbols: symbolsFor(false),
  columns: 80,
});

export const AppearanceProvider = AppearanceContext.Provider;
export const useAppearance = (): Appearance => useContext(AppearanceContext);
