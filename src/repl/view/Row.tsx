import { Text } from 'ink';
import type { ReactNode } from 'react';

/** One row of the terminal: what does not fit is cut off. */
export function Row({ children }: { readonly children: string }): ReactNode {
  // Ink gives an empty text no row.
  return <Text wrap="truncate">{children === '' ? ' ' : children}</Text>;
}
