import type { ReactNode } from 'react';
import { useAppearance } from './appearance.ts';
import { shorten } from './fit-parts.ts';
import { Lines } from './Rows.tsx';

interface QueueProps {
  readonly prompts: readonly string[];
  readonly isPaused: boolean;
  readonly rows: number;
}

/** Queued prompts, each on one row. */
export function Queue({ prompts, isPaused, rows }: QueueProps): ReactNode {
  const { style, signs, columns } = useAppearance();
  const hidden = prompts.length > rows ? prompts.length - rows + 1 : 0;
  const label = isPaused ? 'queued: ' : 'next: ';
  const lines = prompts
    .slice(0, prompts.length - hidden)
    .map((prompt) => shorten(`${label}${prompt.replaceAll(/\s*\n\s*/g, ' ')}`, columns, signs));
  if (hidden > 0) lines.push(`${label}${hidden} more`);
  return <Lines lines={lines.map((line) => style.dim(line))} />;
}
