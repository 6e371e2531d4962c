import { completeAddress, portProblem } from '../../address.ts';
import { addressDialog, keyDialog } from '../state/dialogs.ts';
import type { Dialog, DialogChoice } from '../state/dialog.ts';
import { editActions, isEditAction } from '../editing/edit-actions.ts';
import type { KeyAction } from '../editing/keys/key-bindings.ts';
import { contentOf } from '../editing/paste.ts';
import { createBuffer, insert, isEmpty } from '../editing/text-buffer.ts';
import { notice } from '../state/entry.ts';
import type { ReplState } from '../state/state.ts';
import { cancelHintText } from '../text/status-text.ts';
import { andThen, leave, printing, refuse, startTask, step, type Step } from './step.ts';
import { advance, submitLine } from './submitting.ts';

function close(state: ReplState): ReplState {
  return { ...state, dialog: undefined };
}

const sandboxText = 'using the sandbox; natter auth login connects to a service later';

function choose(state: ReplState, dialog: Dialog, choice: DialogChoice): Step {
  switch (choice.key) {
    case 'connect':
      return step({ ...state, dialog: addressDialog(dialog) });
    case 'probe':
      return startTask(state, 'looking for servers', { type: 'find-servers' });
    case 'server': {
      const { url: address = '', model } = choice;
      return startTask(state, 'connecting', { type: 'connect', address, key: undefined, model });
    }
    case 'sandbox':
      return andThen(step(close(state), printing(notice(sandboxText))), advance);
  }
}

/** Why a text is not a valid address. Never quotes the text: it could be a key entered in the wrong place. */
function addressRefusal(text: string): string | undefined {
  if (!/^https?:\/\/[^\s/]/i.test(text)) return 'an address must begin with https:// or http://';
  const port = portProblem(text);
  if (port !== undefined) return `the address has ${port}`;
  if (!URL.canParse(text) || /[?#\s]/.test(text)) {
    return 'an address looks like https://api.example.com, without query or fragment';
  }
  const { username, password } = new URL(text);
  return username + password === ''
    ? undefined
    : 'an address must not contain a user name or password; the key is entered next';
}

function enter(state: ReplState, dialog: Dialog & { type: 'entry' }, text: string): Step {
  const typed = text.trim();
  if (dialog.asks === 'key') {
    const key = typed === '' ? undefined : typed;
    return startTask(state, 'connecting', { type: 'connect', address: dialog.address, key });
  }
  const address = completeAddress(typed);
  const refusal = addressRefusal(address);
  if (refusal !== undefined) return refuse(state, refusal, cancelHintText(state));
  const answered = { ...dialog, input: createBuffer(address) };
  return step({ ...state, dialog: keyDialog(address, answered) });
}

/** `text` is the number of a choice, or the entered text. */
export function answerDialog(state: ReplState, dialog: Dialog, text: string): Step {
  if (dialog.type === 'entry') return enter(state, dialog, text);
  const number = text.trim() === '' ? dialog.selected + 1 : Number(text);
  const prompt = Number.isNaN(number) ? chooseSandbox(state, dialog) : undefined;
  if (prompt !== undefined) return andThen(prompt, (next) => submitLine(next, text));
  const choice = dialog.choices[number - 1];
  return choice === undefined
    ? refuse(state, `choose a number from 1 to ${dialog.choices.length}`)
    : choose(state, dialog, choice);
}

/** Closes the first dialog. */
function leaveQuestions(state: ReplState): Step {
  const text = state.service.isSandbox
    ? sandboxText
    : 'no key was entered; natter auth login stores one';
  return andThen(step(close(state), printing(notice(text))), advance);
}

function leaveDialog(state: ReplState, dialog: Dialog): Step {
  return dialog.before === undefined
    ? leaveQuestions(state)
    : step({ ...state, dialog: dialog.before });
}

/** Ctrl-C goes back like Esc; pressed again on the first dialog, it leaves natter. */
export function interruptDialog(state: ReplState, dialog: Dialog): Step {
  const left = leaveDialog(state, dialog);
  return dialog.before === undefined
    ? { ...left, state: { ...left.state, isLeaveArmed: true } }
    : left;
}

function select(state: ReplState, dialog: Dialog & { type: 'choice' }, by: number): Step {
  const { length } = dialog.choices;
  const selected = (dialog.selected + by + length) % length;
  return step({ ...state, dialog: { ...dialog, selected } });
}

function deleteOrLeave(state: ReplState, dialog: Dialog): Step {
  if (dialog.type === 'choice' || isEmpty(dialog.input)) return leave(state);
  return step({
    ...state,
    dialog: { ...dialog, input: editActions['delete-right'](dialog.input) },
  });
}

export function onDialogAction(state: ReplState, dialog: Dialog, action: KeyAction): Step {
  if (action === 'stop') return leaveDialog(state, dialog);
  if (action === 'interrupt') return interruptDialog(state, dialog);
  if (action === 'delete-right-or-leave') return deleteOrLeave(state, dialog);
  if (dialog.type === 'choice') {
    if (action === 'move-up') return select(state, dialog, -1);
    if (action === 'move-down' || action === 'complete') return select(state, dialog, 1);
    return action === 'send' ? answerDialog(state, dialog, '') : step(state);
  }
  if (action === 'send') return answerDialog(state, dialog, contentOf(dialog.input));
  if (!isEditAction(action) || action === 'new-line') return step(state);
  return step({ ...state, dialog: { ...dialog, input: editActions[action](dialog.input) } });
}

/** Text instead of a number becomes a prompt for the sandbox, if that is a choice. */
function chooseSandbox(state: ReplState, dialog: Dialog & { type: 'choice' }): Step | undefined {
  if (dialog.choices.every(({ key }) => key !== 'sandbox')) return undefined;
  return step(close(state), printing(notice(sandboxText)));
}

/** Typed or pasted text in a dialog: a digit chooses at once, other text starts a prompt. */
export function onDialogText(
  state: ReplState,
  dialog: Dialog,
  text: string,
  type: (state: ReplState) => Step,
): Step {
  if (dialog.type === 'choice') {
    const isNumber = /^[1-9]$/.test(text) && Number(text) <= dialog.choices.length;
    if (isNumber) return answerDialog(state, dialog, text);
    const chosen = text.trim() === '' ? undefined : chooseSandbox(state, dialog);
    return chosen === undefined ? step(state) : andThen(chosen, type);
  }
  const line = text.replaceAll(/\s*[\r\n]\s*/g, ' ');
  return step({ ...state, dialog: { ...dialog, input: insert(dialog.input, line) } });
}
