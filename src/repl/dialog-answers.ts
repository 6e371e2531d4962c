import { completeAddress, portProblem } from '../address.ts';
import { editActions, isEditAction } from './composer/edit-actions.ts';
import type { KeyAction } from './composer/keys/key-bindings.ts';
import { contentOf } from './composer/paste.ts';
import {
  clearBuffer,
  createBuffer,
  draftOf,
  insert,
  isEmpty,
  type TextBuffer,
  withDraft,
} from './composer/text-buffer.ts';
import { findServers, connect } from './connection.ts';
import { onListEvent } from './conversation-list/answer-list.ts';
import { resume } from './conversations/conversations.ts';
import { addressDialog, keyDialog, type Dialog, type DialogChoice } from './dialog.ts';
import { exportConversation } from './export.ts';
import { answerPromptDialog, cancelPromptDialog } from './prompt-files/send-prompt-file.ts';
import { submit, submitLine } from './queue.ts';
import { setRole, setTheme, useModel } from './settings.ts';
import { asPrompt } from './shell/shell-lines.ts';
import type { ReplState, Step } from './state.ts';
import { andThen, quit, printNotice, refuse, startActivity, step, task } from './step.ts';
import { cancelHintText } from './text/status-text.ts';

const sandboxText = 'using the sandbox; natter auth login connects to a service later';

function chooseSandbox(state: ReplState): Step {
  return printNotice({ ...state, dialog: undefined }, sandboxText);
}

/** With the sandbox among the choices, other text than a number is a prompt for it. */
function offersSandbox({ choices }: Dialog & { type: 'choice' }): boolean {
  return choices.some(({ key }) => key === 'sandbox');
}

/** The dialog that waited for the list is open after that, too. */
function openCopy(state: ReplState, { argument: name = '' }: DialogChoice): Step {
  const { options, dialog } = state.chosenFrom ?? {};
  const copied = task(resume, { name, ...options, isBranch: true });
  return startActivity({ ...state, dialog }, 'opening a conversation', copied);
}

/** What was being read of the list while it was closed is read again; the copy of its entries ignores the rest of that. */
function goBackToList(state: ReplState): Step {
  if (state.chosenFrom === undefined) return step(state);
  const entries = [...state.chosenFrom.entries];
  const list = { ...state.chosenFrom, entries, preview: undefined };
  return onListEvent({ ...state, list }, list, { type: 'rows-read', entries, rows: [] });
}

function choose(state: ReplState, dialog: Dialog, choice: DialogChoice): Step {
  switch (choice.key) {
    case 'connect':
      return step({ ...state, dialog: addressDialog(dialog) });
    case 'probe':
      return startActivity(state, 'looking for servers', task(findServers, undefined));
    case 'server': {
      const { url: address = '', model } = choice;
      return startActivity(state, 'connecting', task(connect, { address, key: undefined, model }));
    }
    case 'sandbox':
      return chooseSandbox(state);
    case 'send':
      return submit({ ...state, dialog: undefined });
    case 'redact':
      return submit({ ...state, dialog: undefined, isRedacting: true });
    case 'run':
      return submit({ ...state, dialog: undefined }, true);
    case 'as-prompt': {
      const composer = withDraft(state.composer, asPrompt(draftOf(state.composer)));
      return submit({ ...state, dialog: undefined, composer });
    }
    case 'export': {
      const { argument = '', replaces = false } = choice;
      const exported = task(exportConversation, { argument, replaces });
      return startActivity({ ...state, dialog: undefined }, 'exporting', exported);
    }
    case 'copy':
      return openCopy(state, choice);
    case 'cancel':
      return cancelDialogs(state, dialog);
    case 'model':
      return useModel({ ...state, dialog: undefined }, choice.argument ?? '');
    case 'role':
      return setRole({ ...state, dialog: undefined }, choice.argument ?? '');
    case 'theme':
      return setTheme({ ...state, dialog: undefined }, choice.argument ?? '');
    case 'value':
      return dialog.pending === undefined
        ? step(state)
        : answerPromptDialog(state, dialog.pending, choice.label);
  }
}

/** Why a text is not a valid address. Never quotes the text, which could be a key. */
function addressProblem(text: string): string | undefined {
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
  if (dialog.pending !== undefined) return answerPromptDialog(state, dialog.pending, typed);
  if (dialog.asks === 'key') {
    const key = typed === '' ? undefined : typed;
    const target = { address: dialog.address, key };
    return startActivity(state, 'connecting', task(connect, target));
  }
  const address = completeAddress(typed);
  const problem = addressProblem(address);
  if (problem !== undefined) return refuse(state, problem, cancelHintText(state));
  const answered = { ...dialog, input: createBuffer(address) };
  return step({ ...state, dialog: keyDialog(address, answered) });
}

/** `text` is the number of a choice, or the entered text. */
export function answerDialog(state: ReplState, dialog: Dialog, text: string): Step {
  if (dialog.type === 'entry') return enter(state, dialog, text);
  const number = text.trim() === '' ? dialog.selected + 1 : Number(text);
  if (Number.isNaN(number) && offersSandbox(dialog)) {
    return andThen(chooseSandbox(state), (next) => submitLine(next, text));
  }
  const named = dialog.choices.find(
    ({ key, label }) => key === 'value' && label === text.trim() && text.trim() !== '',
  );
  const choice = named ?? dialog.choices[number - 1];
  return choice === undefined
    ? refuse(state, `choose a number from 1 to ${dialog.choices.length}`)
    : choose(state, dialog, choice);
}

function offers(dialog: Dialog, wanted: DialogChoice['key']): boolean {
  return dialog.type === 'choice' && dialog.choices.some(({ key }) => key === wanted);
}

const isOfSetting = (dialog: Dialog) =>
  offers(dialog, 'model') || offers(dialog, 'role') || offers(dialog, 'theme');

function cancelDialogs(state: ReplState, dialog: Dialog): Step {
  if (offers(dialog, 'export')) {
    return printNotice({ ...state, dialog: undefined }, 'nothing was written');
  }
  if (offers(dialog, 'copy')) {
    return goBackToList({ ...state, dialog: undefined });
  }
  if (offers(dialog, 'run')) {
    return cancelShell({ ...state, dialog: undefined });
  }
  if (dialog.pending !== undefined) {
    return cancelPromptDialog(state, dialog.pending);
  }
  if (offers(dialog, 'redact')) {
    const next = { ...state, dialog: undefined, unconfirmed: undefined };
    return printNotice(next, 'nothing was sent');
  }
  if (isOfSetting(dialog)) return step({ ...state, dialog: undefined });
  const text = state.service.isSandbox
    ? sandboxText
    : 'no key was entered; natter auth login stores one';
  return printNotice({ ...state, dialog: undefined }, text);
}

/** Line mode has no composer in which the text could be edited. */
function cancelShell(state: ReplState): Step {
  if (!state.isLineMode) return step(state);
  return printNotice({ ...state, composer: clearBuffer(state.composer) }, 'nothing was run');
}

function goBack(state: ReplState, dialog: Dialog): Step {
  const { previous } = dialog;
  return previous === undefined
    ? cancelDialogs(state, dialog)
    : step({ ...state, dialog: previous });
}

/** Ctrl+C goes back like Esc. After it has cancelled the choice of a service, the next Ctrl+C quits. */
export function interruptDialog(state: ReplState, dialog: Dialog): Step {
  const done = goBack(state, dialog);
  return dialog.previous === undefined && offers(dialog, 'sandbox')
    ? { ...done, state: { ...done.state, isQuitArmed: true } }
    : done;
}

function select(state: ReplState, dialog: Dialog & { type: 'choice' }, by: number): Step {
  const { length } = dialog.choices;
  const selected = (dialog.selected + by + length) % length;
  return step({ ...state, dialog: { ...dialog, selected, typed: '' } });
}

const typedChoices: ReadonlySet<DialogChoice['key']> = new Set([
  'value',
  'export',
  'cancel',
  'model',
  'role',
  'theme',
]);

/** Selects the first value or file that begins with the typed text; undefined if none does. */
function selectTyped(
  state: ReplState,
  dialog: Dialog & { type: 'choice' },
  text: string,
): Step | undefined {
  const { choices, typed = '' } = dialog;
  if (text.trim() === '' || choices.some(({ key }) => !typedChoices.has(key))) return undefined;
  for (const start of [typed + text, text]) {
    const wanted = start.trim().toLowerCase();
    const selected = choices.findIndex(({ label }) => label.toLowerCase().startsWith(wanted));
    if (selected !== -1) return step({ ...state, dialog: { ...dialog, selected, typed: start } });
  }
  return undefined;
}

function editInput(
  state: ReplState,
  dialog: Dialog & { type: 'entry' },
  edit: (input: TextBuffer) => TextBuffer,
): Step {
  return step({ ...state, dialog: { ...dialog, input: edit(dialog.input) } });
}

function deleteOrQuit(state: ReplState, dialog: Dialog): Step {
  if (dialog.type === 'choice' || isEmpty(dialog.input)) return quit(state);
  return editInput(state, dialog, editActions['delete-right']);
}

export function onDialogAction(state: ReplState, dialog: Dialog, action: KeyAction): Step {
  if (action === 'stop') return goBack(state, dialog);
  if (action === 'interrupt') return interruptDialog(state, dialog);
  if (action === 'delete-right-or-quit') return deleteOrQuit(state, dialog);
  if (dialog.type === 'choice') {
    if (action === 'move-up') return select(state, dialog, -1);
    if (action === 'move-down' || action === 'complete') return select(state, dialog, 1);
    return action === 'send' ? answerDialog(state, dialog, '') : step(state);
  }
  if (action === 'send') return answerDialog(state, dialog, contentOf(dialog.input));
  if (!isEditAction(action) || action === 'new-line') return step(state);
  return editInput(state, dialog, editActions[action]);
}

/** Handles typed or pasted text: in a choice, the beginning of a value selects it, and a digit chooses at once. `type` inserts it into the composer. */
export function onDialogText(
  state: ReplState,
  dialog: Dialog,
  text: string,
  type: (state: ReplState) => Step,
): Step {
  if (dialog.type === 'choice') {
    const isNumber = /^[1-9]$/.test(text) && Number(text) <= dialog.choices.length;
    const selected = selectTyped(state, dialog, text);
    if (selected !== undefined) return selected;
    if (isNumber) return answerDialog(state, dialog, text);
    const isPrompt = text.trim() !== '' && offersSandbox(dialog);
    return isPrompt ? andThen(chooseSandbox(state), type) : step(state);
  }
  const [ends, end] = dialog.asks === 'value' ? [/\r\n?/g, '\n'] : [/\s*[\r\n]\s*/g, ' '];
  return editInput(state, dialog, (input) => insert(input, text.replaceAll(ends, end)));
}
