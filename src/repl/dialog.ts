import { submitLine } from './queue.ts';
import type { Dialog, ReplState, Update } from './state.ts';
import { andThen, refuse, stopKey } from './step.ts';

/** What Esc does in the open dialog; in line mode Ctrl+C. */
export function cancelHint(state: ReplState, { cancels = 'cancels' }: Dialog): string {
  return `${stopKey(state)} ${cancels}`;
}

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
