import { Box, Text } from 'ink';
import type { ReactNode } from 'react';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { displayWidth, graphemes, splitAtWidth } from '../../terminal/text/width.ts';
import { neededKeyOf } from '../composer/keys/key-bindings.ts';
import { contentOf } from '../composer/paste.ts';
import { inputOf, matching } from '../dialog.ts';
import type { Dialog } from '../state.ts';
import { cancelHint } from '../step.ts';
import { firstVisible, fitParts, fittingEnd, Row, useCaret, useView } from './view.tsx';

/** The last hint, how to cancel, is kept longest; those in the middle, which need the first to make sense, are omitted first. */
function Hints({ dialog, hints }: { readonly dialog: Dialog; readonly hints: readonly string[] }) {
  const { state, style, symbols, columns } = useView();
  const parts = [...hints, cancelHint(state, dialog)].map((text, index, { length }) => ({
    text,
    priority: index === length - 1 ? 2 : Number(index === 0),
  }));
  return <Row>{style.dim(fitParts(parts, columns, symbols))}</Row>;
}

/** Rows of the window besides the choices: the title, the hints, the footer, and one row of the text above. */
const rowsBesideChoices = 4;

function Choice({ dialog }: { dialog: Dialog & { type: 'choice' } }): ReactNode {
  const { choices, filtersTyped = false, takesPrompt } = dialog;
  const { state, style, symbols, rows } = useView();
  const { selected, typed: filter } = inputOf(state, dialog);
  const typed = filter.text;
  const offered = matching(dialog, typed);
  const at = offered.indexOf(selected);
  useCaret(undefined);
  const shown = Math.max(1, rows - rowsBesideChoices - (typed === '' ? 0 : 1));
  const first = firstVisible(at, offered.length, shown);
  const enter = neededKeyOf('send', state.keyMap);
  return (
    <>
      {typed !== '' && <Row>{style.cyan('filter: ') + sanitizeLine(typed)}</Row>}
      {offered.slice(first, first + shown).map((index) => {
        const { label = '' } = choices[index] ?? {};
        const isSelected = index === selected;
        const mark = isSelected ? style.cyan(symbols.mark) : ' ';
        const paint = isSelected ? style.bold : (text: string) => text;
        return (
          <Box key={index}>
            <Box flexShrink={0}>
              <Text>{`${mark} ${paint(`${index + 1} `)}`}</Text>
            </Box>
            <Text wrap={filtersTyped ? 'truncate' : 'wrap'}>{paint(sanitizeLine(label))}</Text>
          </Box>
        );
      })}
      <Hints
        dialog={dialog}
        hints={[
          `${enter} or a number chooses`,
          ...(filtersTyped ? ['letters filter'] : []),
          ...(takesPrompt === undefined ? [] : ['or type a prompt']),
        ]}
      />
    </>
  );
}

/** One line of input: a URL, a value, or a key, whose characters are asterisks. */
function Entry({ dialog }: { dialog: Dialog & { type: 'entry' } }): ReactNode {
  const { isHidden = false } = dialog;
  const { state, style, columns } = useView();
  const { typed: input } = inputOf(state, dialog);
  const show = (text: string) =>
    isHidden ? '*'.repeat([...graphemes(text)].length) : sanitizeLine(text);
  const label = `${dialog.label}: `;
  const content = contentOf(input);
  const room = Math.max(8, columns - label.length - 1);
  const before = fittingEnd(show(content.slice(0, input.cursor)), room);
  const [after] = splitAtWidth(show(content.slice(input.cursor)), room - displayWidth(before));
  useCaret({ column: displayWidth(label + before), rowsBelow: 1 });
  return (
    <>
      <Row>{style.cyan(label) + before + after}</Row>
      <Hints dialog={dialog} hints={[`${neededKeyOf('send', state.keyMap)} continues`]} />
    </>
  );
}

/** A dialog in the composer's place. The last row explains the keys. */
export function DialogBox({ dialog }: { readonly dialog: Dialog }): ReactNode {
  const { style } = useView();
  return (
    <Box flexDirection="column">
      <Text>{style.bold(sanitizeLine(dialog.title))}</Text>
      {dialog.type === 'choice' ? <Choice dialog={dialog} /> : <Entry dialog={dialog} />}
    </Box>
  );
}
