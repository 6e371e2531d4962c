// What natter asks for in line mode, and its notices about an answer that takes long.
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { neededKeyOf } from '../composer/keys/key-bindings.ts';
import { cancelHint } from '../dialog.ts';
import type { AnswerActivity, Dialog, ReplState } from '../state.ts';
import { stalledSeconds } from '../status-text.ts';
import { questionOf } from './list-question.ts';

/** Milliseconds without an answer before a notice. */
const slowAnswer = 1000;

function dialogText(state: ReplState, dialog: Dialog): string {
  const title = sanitizeLine(dialog.title);
  if (dialog.type === 'entry') return `natter: ${cancelHint(state, dialog)}\n${title}: `;
  const rows = dialog.choices.map(({ label }, index) => sanitizeLine(`${index + 1} ${label}`));
  const choices = rows.map((row) => `  ${row}\n`).join('');
  return `${title}\n${choices}Choose 1 to ${dialog.choices.length}: `;
}

/** Whether the next line is a prompt, not the answer to a question. */
export function expectsPrompt({ dialog, list }: ReplState): boolean {
  return dialog === undefined && list === undefined;
}

/** The question to the user; undefined while natter is busy or has ended. */
export function lineQuestion(state: ReplState, isSearching: boolean): string | undefined {
  const { dialog, list, activity, hasQuit } = state;
  if (hasQuit) return undefined;
  if (dialog !== undefined) return dialogText(state, dialog);
  if (list !== undefined) return questionOf(state, list);
  if (activity !== undefined) return undefined;
  return isSearching ? 'Search earlier prompts for: ' : 'You: ';
}

/** A notice about a retry, or about an answer that is slow or stalled, if any. */
export function progressOf(
  activity: AnswerActivity,
  { now, keyMap, host }: ReplState,
): string | undefined {
  const interrupt = neededKeyOf('interrupt', keyMap);
  const { retry } = activity;
  if (activity.phase === 'retrying' && retry !== undefined) {
    const left = Math.ceil((retry.at - now) / 1000);
    const when = left <= 0 ? 'now' : `in ${left} s`;
    const send = neededKeyOf('send', keyMap);
    return `${retry.cause}; retry ${retry.retry} of ${retry.retries} ${when}; ${send} retries now, ${interrupt} gives up`;
  }
  const stalled = stalledSeconds(activity, now);
  if (stalled !== undefined)
    return `nothing for ${stalled} s; ${interrupt} stops and keeps the text`;
  const isSlow = activity.phase === 'waiting' && now - activity.since >= slowAnswer;
  return isSlow ? `waiting for ${host ?? activity.model}; ${interrupt} stops` : undefined;
}

export function progressKey(activity: AnswerActivity, now: number): string {
  const { phase, retry, since, lastAt } = activity;
  const stall = stalledSeconds(activity, now) === undefined ? '' : lastAt;
  return `${since} ${phase} ${retry?.retry ?? 0} ${stall}`;
}

/** Whether typed text must not be shown. */
export function asksForSecret({ dialog }: ReplState): boolean {
  return dialog?.type === 'entry' && dialog.isHidden === true;
}
