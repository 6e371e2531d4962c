import { Box, Text } from 'ink';
import type { ReactNode } from 'react';

/** One row of the terminal: what does not fit is cut off. */
export function Row({ children }: { readonly children: string }): ReactNode {
  // Ink gives an empty text no row.
  return <Text wrap="truncate">{children === '' ? ' ' : children}</Text>;
}

/** Rows one below the other. */
export function Lines({ lines }: { readonly lines: readonly string[] }): ReactNode {
  return (
    <Box flexDirection="column">
      {lines.map((line, index) => (
        // Rows have no identity but their place.
        // oxlint-disable-next-line react/no-array-index-key
        <Row key={index}>{line}</Row>
      ))}
    </Box>
  );
}
