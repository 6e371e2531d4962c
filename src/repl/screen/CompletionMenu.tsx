import { Box, Text } from 'ink';
import type { ReactNode } from 'react';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { displayWidth } from '../../terminal/text/width.ts';
import { type Candidate, folderOf } from '../composer/completion.ts';
import type { CompletionMenu as Menu } from '../state.ts';
import { fittingEnd } from './fit-parts.ts';
import { firstVisible } from './row-budget.ts';
import { useView } from './view.tsx';

/** Columns beside a path in the menu: its mark, and the position. */
const pathMargin = 17;

/** Shows only the name of a command in a folder. A long path is shortened at its start: its name matters most. */
function labelOf({ request }: Menu, candidate: Candidate, columns: number): string {
  const { kind } = request;
  const { value, isFolder = false } = candidate;
  const name = kind === 'path' ? value.slice(folderOf(request).length) : value;
  const slash = kind === 'command' ? '/' : '';
  const label = sanitizeLine(`${slash}${name}${isFolder ? '/' : ''}`);
  const room = Math.max(8, columns - pathMargin);
  const isPath = kind === 'path' || kind === 'mention';
  return !isPath || displayWidth(label) <= room ? label : `...${fittingEnd(label, room - 3)}`;
}

/** Columns of the mark, and between the names and the summaries. */
const margins = 4;
/** Columns of the position. */
const maxPosition = 12;

/** The candidates around the selected one; on the last row its number, and where there are more. */
export function CompletionMenu({ menu, rows }: { menu: Menu; rows: number }): ReactNode {
  const { style, symbols, columns } = useView();
  const { candidates, selected } = menu;
  const first = firstVisible(selected, candidates.length, rows);
  const names = candidates.map((candidate) => {
    const { argument } = candidate;
    const label = labelOf(menu, candidate, columns);
    return { label, rest: argument === undefined ? '' : ` ${argument}` };
  });
  const widest = Math.max(...names.map(({ label, rest }) => displayWidth(label + rest)));
  const hasSummaries = candidates.some(({ summary = '' }) => summary !== '');
  const half = Math.floor(columns / 2);
  const room = hasSummaries ? half : Math.max(half, columns - margins - maxPosition);
  const up = first > 0 ? symbols.up : '';
  const down = first + rows < candidates.length ? symbols.down : '';
  const nameColumns = 2 + Math.min(widest, room);
  const wanted = `${selected + 1}/${candidates.length} ${up}${down}`;
  const hasPosition = candidates.length > rows && nameColumns + margins + wanted.length <= columns;
  const shown = candidates.slice(first, first + rows);
  return (
    <Box flexDirection="column">
      {shown.map(({ value, summary = '' }, row) => {
        const isSelected = first + row === selected;
        const { label = '', rest = '' } = names[first + row] ?? {};
        const mark = isSelected ? style.cyan(symbols.mark) : ' ';
        return (
          <Box key={value}>
            <Box width={nameColumns} flexShrink={0}>
              <Text wrap="truncate">
                {`${mark} ${isSelected ? style.bold(label) : label}${style.dim(rest)}`}
              </Text>
            </Box>
            <Box marginLeft={2} flexGrow={1} flexShrink={1}>
              <Text wrap="truncate">{style.dim(sanitizeLine(summary))}</Text>
            </Box>
            {hasPosition && row === shown.length - 1 && (
              <Box marginLeft={2} flexShrink={0}>
                <Text>{style.dim(wanted)}</Text>
              </Box>
            )}
          </Box>
        );
      })}
    </Box>
  );
}
