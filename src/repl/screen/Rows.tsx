import { Box, Text } from 'ink';
import { type ReactNode, createContext, useContext } from 'react';
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

/** One row of the terminal, truncated to its width. */
export function Row({ children }: { readonly children: string }): ReactNode {
  // Ink omits the row of an empty text.
  return <Text wrap="truncate">{children === '' ? ' ' : children}</Text>;
}

export function Lines({ lines }: { readonly lines: readonly string[] }): ReactNode {
  return (
    <Box flexDirection="column">
      {lines.map((line, index) => (
        // Rows have no identity other than their index.
        // oxlint-disable-next-line react/no-array-index-key
        <Row key={index}>{line}</Row>
      ))}
    </Box>
  );
}
