import { Box, Text } from 'ink';
import type { ReactNode } from 'react';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { displayWidth, graphemes, splitAtWidth } from '../../terminal/text/width.ts';
import { wrapText } from '../../terminal/text/wrap.ts';
import { neededKeyOf } from '../composer/keys/key-bindings.ts';
import { contentOf } from '../composer/paste.ts';
import type { Dialog } from '../dialog.ts';
import type { ReplState } from '../state.ts';
import { cancelHintText } from '../text/status-text.ts';
import { fittingEnd, fitParts, shorten } from './fit-parts.ts';
import { firstVisible } from './fit-view.ts';
import { useAppearance, type Appearance, Lines, Row } from './Rows.tsx';

interface DialogFrame {
  readonly title: string;
  /** Most important last: `Enter chooses`, `Esc uses the sandbox`. */
  readonly hints: readonly string[];
}

export type DialogView =
  | (DialogFrame & {
      readonly kind: 'choice';
      readonly options: readonly { readonly label: string }[];
      /** Index in `options`. */
      readonly selected: number;
    })
  /** One line of input: a URL, or a key, whose characters are already replaced by asterisks. */
  | (DialogFrame & {
      readonly kind: 'entry';
      /** `API key`. */
      readonly label: string;
      readonly text: string;
      /** Columns of `text` to the left of the caret. */
      readonly caretColumn: number;
    });
/** Maximum columns of a dialog's label and the caret. */
const labelColumns = 14;

const labels = { address: 'base URL', key: 'API key', value: 'value' } as const;

function entryView(
  dialog: Dialog & { type: 'entry' },
  columns: number,
  { enter, cancelHint }: { readonly enter: string; readonly cancelHint: string },
): DialogView {
  const { input, isHidden, asks, title } = dialog;
  const content = contentOf(input);
  const show = (text: string) =>
    isHidden ? '*'.repeat([...graphemes(text)].length) : sanitizeLine(text);
  const room = Math.max(8, columns - labelColumns);
  const before = fittingEnd(show(content.slice(0, input.cursor)), room);
  const [after] = splitAtWidth(show(content.slice(input.cursor)), room - displayWidth(before));
  return {
    kind: 'entry',
    title: sanitizeLine(title),
    hints: [`${enter} continues`, cancelHint],
    label: labels[asks],
    text: before + after,
    caretColumn: displayWidth(before),
  };
}

/** Rows of the window besides the choices: the title, the hints, the footer, and one row of the text above. */
const rowsBesideChoices = 4;

export function dialogOf(state: ReplState): DialogView | undefined {
  const { dialog } = state;
  if (dialog === undefined) return undefined;
  const cancelHint = cancelHintText(state);
  const enter = neededKeyOf('send', state.keyMap);
  if (dialog.type === 'entry') return entryView(dialog, state.columns, { enter, cancelHint });
  const shown = Math.max(1, state.rows - rowsBesideChoices);
  const first = firstVisible(dialog.selected, dialog.choices.length, shown);
  const hasSandbox = dialog.choices.some(({ key }) => key === 'sandbox');
  return {
    kind: 'choice',
    title: sanitizeLine(dialog.title),
    hints: [
      `${enter} or a number chooses`,
      ...(hasSandbox ? ['or type a prompt'] : []),
      cancelHint,
    ],
    options: dialog.choices.slice(first, first + shown).map((choice, index) => ({
      label: sanitizeLine(`${first + index + 1} ${choice.label}`),
    })),
    selected: dialog.selected - first,
  };
}

type Choice = Extract<DialogView, { kind: 'choice' }>;
type Entry = Extract<DialogView, { kind: 'entry' }>;

const markColumns = 2;
/** The width of the number before a label. */
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
