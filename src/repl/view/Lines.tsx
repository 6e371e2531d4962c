import { Box } from 'ink';
import type { ReactNode } from 'react';
import { Row } from './Row.tsx';

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
