import { Box, Text } from 'ink';
import type { ReactNode } from 'react';
import { wrapText } from '../../terminal/text/wrap.ts';
import type { DialogView } from './view-model.ts';
import { useAppearance, type Appearance } from './appearance.ts';
import { fitParts, shorten } from './fit-parts.ts';
import { Lines, Row } from './Rows.tsx';

type Choice = Extract<DialogView, { kind: 'choice' }>;
type Entry = Extract<DialogView, { kind: 'entry' }>;

const markColumns = 2;
/** Of the number before a label. */
const numberColumns = 2;

function optionLines({ options, selected }: Choice, { style, symbols, columns }: Appearance) {
  return options.flatMap(({ label }, index) => {
    const isSelected = index === selected;
    const rows = wrapText(label, columns - markColumns - numberColumns);
    return rows.map((row, at) => {
      const mark = isSelected && at === 0 ? style.cyan(symbols.mark) : ' ';
      const indent = ' '.repeat(at === 0 ? 0 : numberColumns);
      return `${mark} ${indent}${isSelected ? style.bold(row) : row}`;
    });
  });
}

/** Label before the text of an entry. */
export const entryLabel = ({ label }: Entry): string => `${label}: `;

function entryLine(dialog: Entry, { style, symbols, columns }: Appearance): string {
  const label = entryLabel(dialog);
  return style.cyan(label) + shorten(dialog.text, columns - label.length, symbols);
}

/** The last one, how to cancel, is kept longest; those in the middle, which need the first to make sense, are omitted first. */
const hintPriority = (index: number, length: number) =>
  index === length - 1 ? 2 : Number(index === 0);

/** A dialog in the composer's place. The last row explains the keys, the one before contains the entry. */
export function DialogBox({ dialog }: { readonly dialog: DialogView }): ReactNode {
  const appearance = useAppearance();
  const { style, symbols, columns } = appearance;
  const hints = dialog.hints.map((text, index, { length }) => ({
    text,
    priority: hintPriority(index, length),
  }));
  return (
    <Box flexDirection="column" width={columns}>
      <Text>{style.bold(dialog.title)}</Text>
      {dialog.kind === 'choice' ? (
        <Lines lines={optionLines(dialog, appearance)} />
      ) : (
        <Row>{entryLine(dialog, appearance)}</Row>
      )}
      <Row>{style.dim(fitParts(hints, columns, symbols))}</Row>
    </Box>
  );
}
