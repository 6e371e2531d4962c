import { Box, Text } from 'ink';
import { type ReactNode, useState } from 'react';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { displayWidth, graphemes, splitAtWidth } from '../../terminal/text/width.ts';
import { editActions, isEditAction } from '../composer/edit-actions.ts';
import { actionOf, type KeyAction, keyOf } from '../composer/keys/key-bindings.ts';
import { withoutLast } from '../composer/grapheme-boundary.ts';
import { contentOf } from '../composer/paste.ts';
import { createBuffer, insert, isEmpty } from '../composer/text-buffer.ts';
import type { Dialog } from '../state.ts';
import { cancelHint, interruptDialog, quit } from '../step.ts';
import { answerDialog } from '../update.ts';
import { firstVisible, fitParts, fittingEnd, Row, useCaret, useKeys, useView } from './view.tsx';

/**
 * A dialog gets every key, except those of the terminal.
 * @param onText returns whether the text is not for the composer
 */
function useDialogKeys(
  dialog: Dialog,
  onText: (text: string) => boolean,
  onAction: (action: KeyAction) => void,
): void {
  const { state, update } = useView();
  useKeys((event) => {
    if (event.type !== 'key') return onText(event.text);
    const action = actionOf(event, 'composer', state.keyMap);
    if (action === 'suspend' || action === 'redraw') return false;
    if (action === 'stop') update(dialog.cancel);
    else if (action === 'interrupt') update((now) => interruptDialog(now, dialog));
    else if (action !== undefined) onAction(action);
    return true;
  });
}

/** The last hint, how to cancel, is kept longest; those in the middle, which need the first to make sense, are omitted first. */
function Hints({ dialog, hints }: { readonly dialog: Dialog; readonly hints: readonly string[] }) {
  const { state, style, symbols, columns } = useView();
  const parts = [...hints, cancelHint(state, dialog)].map((text, index, { length }) => ({
    text,
    priority: index === length - 1 ? 2 : Number(index === 0),
  }));
  return <Row>{style.dim(fitParts(parts, columns, symbols))}</Row>;
}

/** The indices of the choices that contain the typed text; those that begin with it are first. */
function matching({ choices }: Dialog & { type: 'choice' }, text: string): readonly number[] {
  const typed = text.trim().toLowerCase();
  const places = choices.map(({ label }) => label.toLowerCase().indexOf(typed));
  const found = places.flatMap((place, index) => (place === -1 ? [] : [index]));
  return typed === ''
    ? found
    : found.toSorted((a, b) => Number(places[a] !== 0) - Number(places[b] !== 0));
}

/** Rows of the window besides the choices: the title, the hints, the footer, and one row of the text above. */
const rowsBesideChoices = 4;

function Choice({ dialog }: { dialog: Dialog & { type: 'choice' } }): ReactNode {
  const { choices, filtersTyped = false, takesPrompt } = dialog;
  const { state, update, style, symbols, rows } = useView();
  const [selected, setSelected] = useState(dialog.selected ?? 0);
  const [typed, setTyped] = useState('');
  const offered = matching(dialog, typed);
  const at = offered.indexOf(selected);
  const answer = (text: string) => update((now) => answerDialog(now, dialog, text, selected));
  const move = (by: number) =>
    setSelected(offered[(at + by + offered.length) % offered.length] ?? selected);
  const filter = (text: string) => {
    setTyped(text);
    setSelected(text === '' ? selected : (matching(dialog, text)[0] ?? selected));
  };
  useCaret(undefined);
  useDialogKeys(
    dialog,
    (text) => {
      const isNumber = typed === '' && /^[1-9]$/.test(text) && Number(text) <= choices.length;
      const begins = choices.some(({ label }) => label.startsWith(text));
      const wanted = [typed + text, text].find((one) => matching(dialog, one).length > 0);
      if (isNumber && !(filtersTyped && begins)) answer(text);
      else if (filtersTyped && text.trim() !== '' && wanted !== undefined) filter(wanted);
      else if (takesPrompt !== undefined && text.trim() !== '') {
        update(takesPrompt);
        return false;
      }
      return true;
    },
    (action) => {
      if (action === 'move-up') move(-1);
      if (action === 'move-down' || action === 'complete') move(1);
      if (action === 'delete-left') filter(withoutLast(typed));
      if (action === 'delete-right-or-quit') update(quit);
      if (action === 'send') answer('');
    },
  );
  const shown = Math.max(1, rows - rowsBesideChoices - (typed === '' ? 0 : 1));
  const first = firstVisible(at, offered.length, shown);
  const enter = keyOf('send', state.keyMap);
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
  const { isHidden = false, takesLines = false } = dialog;
  const { state, update, style, columns } = useView();
  const [input, setInput] = useState(() => createBuffer(dialog.text));
  useDialogKeys(
    dialog,
    (text) => {
      const [ends, end] = takesLines ? [/\r\n?/g, '\n'] : [/\s*[\r\n]\s*/g, ' '];
      setInput(insert(input, text.replaceAll(ends, end)));
      return true;
    },
    (action) => {
      const quits = action === 'delete-right-or-quit';
      const edit = quits ? 'delete-right' : action;
      if (quits && isEmpty(input)) update(quit);
      else if (isEditAction(edit) && edit !== 'new-line') setInput(editActions[edit](input));
      if (action === 'send') update((now) => answerDialog(now, dialog, contentOf(input)));
    },
  );
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
      <Hints dialog={dialog} hints={[`${keyOf('send', state.keyMap)} continues`]} />
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
