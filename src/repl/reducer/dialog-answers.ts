import { addressDialog, keyDialog } from '../dialogs.ts';
import type { Dialog, DialogChoice } from '../dialog.ts';
import { editActions, isEditAction } from '../editing/edit-actions.ts';
import type { KeyAction } from '../editing/key-bindings.ts';
import { contentOf } from '../editing/paste.ts';
import { insert } from '../editing/text-buffer.ts';
import { notice } from '../entry.ts';
import type { ReplState } from '../state.ts';
import { andThen, printing, refuse, startTask, step, type Step } from './step.ts';
import { advance } from './submitting.ts';

function close(state: ReplState): ReplState {
  return { ...state, dialog: undefined };
}

function choose(state: ReplState, choice: DialogChoice): Step {
  const next = close(state);
  switch (choice.key) {
    case 'connect':
      return step({ ...state, dialog: addressDialog() });
    case 'probe':
      return startTask(next, 'looking for servers', { type: 'find-servers' });
    case 'server':
      return startTask(next, 'connecting', {
        type: 'connect',
        address: choice.url ?? '',
        key: undefined,
        model: choice.model,
      });
    case 'sandbox':
      return andThen(
        step(
          next,
          printing(notice('the sandbox answers; natter auth login connects a service later')),
        ),
        advance,
      );
    case 'leave':
      return step({ ...next, hasLeft: true }, { type: 'leave' });
  }
}

function enter(state: ReplState, dialog: Dialog & { type: 'entry' }, text: string): Step {
  const typed = text.trim();
  if (dialog.asks === 'key') {
    const key = typed === '' ? undefined : typed;
    return startTask(close(state), 'connecting', { type: 'connect', address: dialog.address, key });
  }
  if (typed === '') return refuse(state, 'the service needs an address', 'Esc leaves');
  return step({ ...state, dialog: keyDialog(typed) });
}

/** Gives a dialog its answer: the number of a choice, or the text it asks for. */
export function answerDialog(state: ReplState, dialog: Dialog, text: string): Step {
  if (dialog.type === 'entry') return enter(state, dialog, text);
  const number = text.trim() === '' ? dialog.selected + 1 : Number(text);
  const choice = dialog.choices[number - 1];
  return choice === undefined
    ? refuse(state, `choose a number from 1 to ${dialog.choices.length}`)
    : choose(state, choice);
}

export function leaveDialog(state: ReplState): Step {
  const text = state.service.isSandbox
    ? 'the sandbox answers; natter auth login connects a service later'
    : 'no key was entered; natter auth login stores one';
  return andThen(step(close(state), printing(notice(text))), advance);
}

function select(state: ReplState, dialog: Dialog & { type: 'choice' }, by: number): Step {
  const { length } = dialog.choices;
  const selected = (dialog.selected + by + length) % length;
  return step({ ...state, dialog: { ...dialog, selected } });
}

/** A key's action while a dialog is open. */
export function onDialogAction(state: ReplState, dialog: Dialog, action: KeyAction): Step {
  if (action === 'stop' || action === 'interrupt') return leaveDialog(state);
  if (action === 'delete-right-or-leave') return leaveDialog(state);
  if (dialog.type === 'choice') {
    if (action === 'move-up') return select(state, dialog, -1);
    if (action === 'move-down' || action === 'complete') return select(state, dialog, 1);
    return action === 'send' ? answerDialog(state, dialog, '') : step(state);
  }
  if (action === 'send') return answerDialog(state, dialog, contentOf(dialog.input));
  if (!isEditAction(action) || action === 'new-line') return step(state);
  return step({ ...state, dialog: { ...dialog, input: editActions[action](dialog.input) } });
}

/** Text typed or pasted while a dialog is open: a digit chooses at once. */
export function onDialogText(state: ReplState, dialog: Dialog, text: string): Step {
  if (dialog.type === 'choice') {
    return /^[1-9]$/.test(text) && Number(text) <= dialog.choices.length
      ? answerDialog(state, dialog, text)
      : step(state);
  }
  const line = text.replaceAll(/\s*[\r\n]\s*/g, ' ');
  return step({ ...state, dialog: { ...dialog, input: insert(dialog.input, line) } });
}
