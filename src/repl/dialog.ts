import { editActions, isEditAction } from './composer/edit-actions.ts';
import { actionOf } from './composer/keys/key-bindings.ts';
import type { KeyEvent } from './composer/keys/key-event.ts';
import { contentOf } from './composer/paste.ts';
import { createBuffer, insert, isEmpty } from './composer/text-buffer.ts';
import { submitLine } from './queue.ts';
import type { Dialog, DialogInput, ReplState, Update } from './state.ts';
import { andThen, quit, refuse, step } from './step.ts';

/** `text` is the number or the label of a choice, or the entered text; empty, it is the choice at `selected`. */
export function answerDialog(
  state: ReplState,
  dialog: Dialog,
  text: string,
  selected = dialog.type === 'choice' ? (dialog.selected ?? 0) : 0,
): Update {
  const typed = text.trim();
  if (dialog.type === 'entry') return dialog.enter(state, typed);
  const { choices, takesPrompt } = dialog;
  if (takesPrompt !== undefined && Number.isNaN(Number(typed))) {
    return andThen(takesPrompt(state), (next) => submitLine(next, text));
  }
  const named = choices.find(({ label }) => label === typed) ?? choices[Number(typed) - 1];
  const choice = typed === '' ? choices[selected] : named;
  return choice?.choose(state) ?? refuse(state, `choose a number from 1 to ${choices.length}`);
}

/** Ctrl+C cancels like Esc. After it has cancelled the choice of a service, the next Ctrl+C quits. */
export function interruptDialog(state: ReplState, dialog: Dialog): Update {
  const { state: next, tasks } = dialog.cancel(state);
  const isFirst = dialog.type === 'choice' && dialog.takesPrompt !== undefined;
  const armed = isFirst && next.dialog === undefined ? 'interrupt' : undefined;
  return { state: { ...next, armed }, tasks };
}

/** The indices of the choices that contain the typed text; those that begin with it are first. */
export function matching(
  { choices }: Dialog & { type: 'choice' },
  text: string,
): readonly number[] {
  const typed = text.trim().toLowerCase();
  const places = choices.map(({ label }) => label.toLowerCase().indexOf(typed));
  const found = places.flatMap((place, index) => (place === -1 ? [] : [index]));
  return typed === ''
    ? found
    : found.toSorted((a, b) => Number(places[a] !== 0) - Number(places[b] !== 0));
}

/** What is selected and typed in the open dialog. */
export function inputOf({ dialogInput }: ReplState, dialog: Dialog): DialogInput {
  if (dialogInput?.dialog === dialog) return dialogInput;
  return dialog.type === 'choice'
    ? { dialog, selected: dialog.selected ?? 0, typed: createBuffer() }
    : { dialog, selected: 0, typed: createBuffer(dialog.text) };
}

/** Selects a choice by its number, filters the choices, or closes the dialog, because the text is a prompt. */
function onChoiceText(
  state: ReplState,
  dialog: Dialog & { type: 'choice' },
  text: string,
  press: (state: ReplState) => Update,
): Update {
  const { choices, filtersTyped = false, takesPrompt } = dialog;
  const input = inputOf(state, dialog);
  const typed = input.typed.text;
  const isNumber = typed === '' && /^[1-9]$/.test(text) && Number(text) <= choices.length;
  const begins = choices.some(({ label }) => label.startsWith(text));
  const wanted = [typed + text, text].find((one) => matching(dialog, one).length > 0);
  if (isNumber && !(filtersTyped && begins)) return answerDialog(state, dialog, text);
  if (text.trim() === '') return step(state);
  if (filtersTyped && wanted !== undefined) {
    const [selected = input.selected] = matching(dialog, wanted);
    return step({ ...state, dialogInput: { ...input, selected, typed: createBuffer(wanted) } });
  }
  return takesPrompt === undefined ? step(state) : andThen(takesPrompt(state), press);
}

/**
 * A dialog gets every key, except those of the terminal, for which it returns undefined.
 * @param press handles the key without the dialog
 */
export function onDialogKey(
  state: ReplState,
  dialog: Dialog,
  event: KeyEvent,
  press: (state: ReplState) => Update,
): Update | undefined {
  const input = inputOf(state, dialog);
  const put = (changes: Partial<DialogInput>) =>
    step({ ...state, dialogInput: { ...input, ...changes } });
  if (event.type !== 'key') {
    if (dialog.type === 'choice') return onChoiceText(state, dialog, event.text, press);
    const [ends, end] = dialog.takesLines === true ? [/\r\n?/g, '\n'] : [/\s*[\r\n]\s*/g, ' '];
    return put({ typed: insert(input.typed, event.text.replaceAll(ends, end)) });
  }
  const action = actionOf(event, 'composer', state.keyMap);
  if (action === 'suspend' || action === 'redraw') return undefined;
  if (action === 'stop') return dialog.cancel(state);
  if (action === 'interrupt') return interruptDialog(state, dialog);
  const quits = action === 'delete-right-or-quit';
  if (quits && (dialog.type === 'choice' || isEmpty(input.typed))) return quit(state);
  if (dialog.type === 'entry') {
    if (action === 'send') return answerDialog(state, dialog, contentOf(input.typed));
    const edit = quits ? 'delete-right' : action;
    const isEdit = edit !== undefined && isEditAction(edit) && edit !== 'new-line';
    return isEdit ? put({ typed: editActions[edit](input.typed) }) : step(state);
  }
  if (action === 'send') return answerDialog(state, dialog, '', input.selected);
  const typed = editActions['delete-left'](input.typed);
  const offered = matching(dialog, action === 'delete-left' ? typed.text : input.typed.text);
  const move = (by: number) => {
    const place = offered.indexOf(input.selected) + by + offered.length;
    return put({ selected: offered[place % offered.length] ?? input.selected });
  };
  if (action === 'move-up') return move(-1);
  if (action === 'move-down' || action === 'complete') return move(1);
  if (action !== 'delete-left') return step(state);
  return put({ typed, selected: typed.text === '' ? input.selected : (offered[0] ?? 0) });
}
