// Texts shared by the transcript, line mode and the live region.

import { count, countOf, tokenText } from '../../output/figures.ts';
import { keyOf, neededKeyOf } from '../composer/keys/key-bindings.ts';
import type { DialogChoice } from '../dialog.ts';
import type { AnswerActivity, ReplState, ServiceFacts } from '../state.ts';

/** `128K`, `1M`; numbers below 1000 in full. */
export function shortCount(value: number): string {
  if (value >= 1_000_000) return `${Number((value / 1_000_000).toFixed(1))}M`;
  if (value >= 10_000) return `${Math.round(value / 1000)}K`;
  if (value >= 1000) return `${(value / 1000).toFixed(1)}K`;
  return String(value);
}

/** `59 s`, `2 min 5 s`. */
export function durationText(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** The source of answers if it is not the service. */
export function sourceName({ isSandbox, isReplay }: ServiceFacts): string | undefined {
  if (isReplay === true) return 'replay';
  return isSandbox ? 'sandbox' : undefined;
}

/** The tokens of the requests of this session. */
export function usageText({ usage }: ReplState): string {
  const estimates = usage.estimated === 0 ? '' : `, ${usage.estimated} of them estimated`;
  const answers = countOf(usage.answers, 'answer');
  return `${answers} in this session${estimates}: ${tokenText(usage.promptTokens)} in, ${count(usage.completionTokens)} out`;
}

export function systemText(system: string | undefined): string {
  return system === undefined ? 'no system prompt is set' : `the system prompt is: ${system}`;
}

/** What Esc (Ctrl+C in line mode) does in the open dialog. */
export function cancelHintText({
  dialog,
  service,
  isLineMode,
  keyMap,
  chosenFrom,
}: ReplState): string {
  const stop = isLineMode ? undefined : keyOf('stop', keyMap);
  const offers = (wanted: readonly DialogChoice['key'][]) =>
    dialog?.type === 'choice' && dialog.choices.some(({ key }) => wanted.includes(key));
  const isOther = offers(['run', 'export', 'copy', 'model', 'role', 'theme']);
  const isFromList = chosenFrom !== undefined && offers(['copy']);
  const goesBack = dialog?.previous !== undefined || isFromList;
  const asksForValue = dialog?.pending !== undefined;
  const isAboutSandbox = service.isSandbox && !isOther && !asksForValue;
  const cancels = isAboutSandbox ? 'uses the sandbox' : 'cancels';
  return `${stop ?? neededKeyOf('interrupt', keyMap)} ${goesBack ? 'goes back' : cancels}`;
}

/** Seconds without data after which an answer counts as stalled. */
const stallLength = 5;

/** Whole seconds since the last data of a started answer; undefined while it is not stalled. */
export function stalledSeconds({ phase, lastAt }: AnswerActivity, now: number): number | undefined {
  const seconds = Math.floor((now - lastAt) / 1000);
  return phase === 'streaming' && seconds >= stallLength ? seconds : undefined;
}

/** The status of an answer in progress. `now` is from the same clock as the activity. */
export function activityText(activity: AnswerActivity, now: number): string {
  const seconds = Math.floor((now - activity.since) / 1000);
  if (activity.isStopping) return 'stopping';
  const { retry } = activity;
  if (activity.phase === 'retrying' && retry !== undefined) {
    const left = Math.ceil((retry.at - now) / 1000);
    const when = left <= 0 ? 'now' : `in ${left} s`;
    return `${retry.cause}; retry ${retry.retry} of ${retry.retries} ${when}`;
  }
  const time = seconds > 0 ? ` · ${seconds} s` : '';
  if (activity.phase === 'streaming') {
    return `${activity.model} answers${time} · ${tokenText(Math.ceil(activity.tokens), true)}`;
  }
  return `waiting for ${activity.model}${time}`;
}
