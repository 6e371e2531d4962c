import { Box, Text } from 'ink';
import type { ReactNode } from 'react';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { displayWidth } from '../../terminal/text/width.ts';
import { type Candidate, folderOf } from '../composer/completion.ts';
import type { CompletionMenu as Menu } from '../state.ts';
import { firstVisible } from './view.tsx';
import { useView } from './view.tsx';

/** The name of a command with its slash, of a file in a folder its name, and of a mention its path. */
function labelOf({ request }: Menu, { value, isFolder = false }: Candidate): string {
  const name = request.kind === 'path' ? value.slice(folderOf(request).length) : value;
  return sanitizeLine(`${request.kind === 'command' ? '/' : ''}${name}${isFolder ? '/' : ''}`);
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
  const { kind } = menu.request;
  // A long path is shortened at its start: its name matters most.
  const cut = kind === 'path' || kind === 'mention' ? 'truncate-start' : 'truncate-end';
  const names = candidates.map((candidate) => {
    const { argument } = candidate;
    const rest = argument === undefined ? '' : ` ${argument}`;
    return { label: labelOf(menu, candidate), rest };
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
            <Box width={2} flexShrink={0}>
              <Text>{`${mark} `}</Text>
            </Box>
            <Box width={nameColumns - 2} flexShrink={0}>
              <Text wrap={cut}>{(isSelected ? style.bold(label) : label) + style.dim(rest)}</Text>
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
