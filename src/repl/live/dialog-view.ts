import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { displayWidth, graphemes, splitAtWidth } from '../../terminal/text/width.ts';
import type { Dialog } from '../state/dialog.ts';
import { contentOf } from '../editing/paste.ts';
import type { DialogView } from '../view/view-model.ts';

/** Maximum columns of a dialog's label and the caret. */
const labelColumns = 14;

const labels = { address: 'base URL', key: 'API key' } as const;

/** The end of a text that fits in `columns`. */
function endOf(text: string, columns: number): string {
  let rest = text;
  while (displayWidth(rest) > columns) {
    [, rest] = splitAtWidth(rest, Math.max(1, displayWidth(rest) - columns));
  }
  return rest;
}

function entryView(
  dialog: Dialog & { type: 'entry' },
  columns: number,
  cancelHint: string,
): DialogView {
  const { input, isHidden, asks, title } = dialog;
  const content = contentOf(input);
  const show = (text: string) =>
    isHidden ? '*'.repeat([...graphemes(text)].length) : sanitizeLine(text);
  const room = Math.max(8, columns - labelColumns);
  const before = endOf(show(content.slice(0, input.cursor)), room);
  const [after] = splitAtWidth(show(content.slice(input.cursor)), room - displayWidth(before));
  return {
    kind: 'entry',
    title: sanitizeLine(title),
    hints: ['Enter continues', cancelHint],
    label: labels[asks],
    text: before + after,
    caretColumn: displayWidth(before),
  };
}

/** `cancelHint` describes what Esc does. */
export function dialogView(dialog: Dialog, columns: number, cancelHint: string): DialogView {
  if (dialog.type === 'entry') return entryView(dialog, columns, cancelHint);
  const hasSandbox = dialog.choices.some(({ key }) => key === 'sandbox');
  return {
    kind: 'choice',
    title: sanitizeLine(dialog.title),
    hints: ['Enter or a number chooses', ...(hasSandbox ? ['or type a prompt'] : []), cancelHint],
    options: dialog.choices.map((choice, index) => ({
      label: sanitizeLine(`${index + 1} ${choice.label}`),
    })),
    selected: dialog.selected,
  };
}
