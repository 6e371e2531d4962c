import { textOf } from '../../conversation/tree.ts';
import { figuresLine, figuresText } from '../../output/figures.ts';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { plainStyle } from '../../terminal/style.ts';
import type { AnswerOutcome, AnswerActivity, Dialog, ReplState, Update } from '../state.ts';
import { compactIfNeeded, offerRemedies } from '../context.ts';
import { contentOf } from '../composer/paste.ts';
import { isEmpty, withDraft } from '../composer/text-buffer.ts';
import {
  currentPath,
  isNearlyFull,
  withBranch,
  lastPrompt,
  versionsOf,
  closingOf,
  timeOf,
} from '../conversations/position.ts';
import { keyDialog, keyHint, resendKey } from '../connection.ts';
import { withFile } from '../files/attachments.ts';
import { titleIfNeeded } from './aside.ts';
import { submit } from '../queue.ts';
import { shortenPromptHint } from '../session.ts';
import { andThen, printing, printNotice, refuse, step, reportQueue } from '../step.ts';

/** Restores an unanswered prompt and its files to the composer, if that is empty. */
function restorePrompt(state: ReplState, { draft, files }: AnswerActivity): ReplState {
  if (draft === undefined || !isEmpty(state.composer)) return state;
  return {
    ...state,
    composer: withDraft(state.composer, { ...draft, cursor: draft.text.length }),
    restoredText: draft.text,
    restoredAt: state.now,
    attachments: files.reduce(withFile, state.attachments),
    restoredFiles: files,
  };
}

/** What to do after an incomplete or missing answer; undefined if the prompt must be typed again. */
function continueHint(
  state: ReplState,
  { comparedWith, isContinuation }: AnswerActivity,
  hasText: boolean,
  isRecorded = true,
): string | undefined {
  if (comparedWith !== undefined)
    return hasText ? '/version switches back' : '/compare tries again';
  if (hasText || isContinuation === true) return '/continue resumes it';
  const key = resendKey(state);
  return isRecorded || key !== '/retry' ? `${key} sends it again` : undefined;
}

type Ended<Type> = AnswerOutcome & { readonly type: Type };

function onFailure(state: ReplState, outcome: Ended<'failed'>, answer: AnswerActivity) {
  const { hasText, isRecorded = true } = outcome;
  const { message, hint, kind } = outcome.failure;
  const restored = hasText ? state : restorePrompt(state, answer);
  const next = isRecorded ? restored : withBranch(restored, answer.branch);
  const paused = { ...next, isQueuePaused: true };
  if (kind === 'unauthorized') {
    const dialog = keyDialog(state.service, state.service.address);
    return refuse({ ...paused, dialog }, message, keyHint(state.service.hasKey));
  }
  const isTooLong =
    hint === shortenPromptHint || (kind === 'invalid_request' && isNearlyFull(next));
  // The same prompt would be refused again.
  const hints =
    isTooLong && !hasText
      ? [shortenPromptHint]
      : [hint, continueHint(next, answer, hasText, isRecorded)];
  const advice = hints.filter((text) => text !== undefined).join('; ');
  return refuse(paused, message, advice || undefined);
}

function onStop(state: ReplState, hasText: boolean, answer: AnswerActivity): Update {
  const stopped = { ...state, isQueuePaused: true };
  return hasText
    ? printNotice(stopped, `stopped; ${continueHint(stopped, answer, hasText)}`)
    : printNotice(restorePrompt(stopped, answer), 'stopped before any text arrived');
}

function sendNothing(state: ReplState): Update {
  return printNotice({ ...state, dialog: undefined, unconfirmed: undefined }, 'nothing was sent');
}

function secretsDialog(address: string): Dialog {
  return {
    type: 'choice',
    title: `the files have secrets, which would be sent to ${address}`,
    choices: [
      {
        label: 'send placeholders, and put the secrets back in the answer',
        choose: (state) => submit({ ...state, dialog: undefined, isRedacting: true }),
      },
      { label: 'send the secrets', choose: (state) => submit({ ...state, dialog: undefined }) },
      { label: 'send nothing', choose: sendNothing },
    ],
    cancel: sendNothing,
  };
}

function onUnconfirmed(state: ReplState, outcome: Ended<'unconfirmed'>, answer: AnswerActivity) {
  const { problem, hasSecrets } = outcome;
  const next = restorePrompt(state, answer);
  const isRestored = next !== state;
  const unconfirmed = isRestored ? contentOf(next.composer) : undefined;
  const dialog = isRestored && hasSecrets ? secretsDialog(state.service.address) : state.dialog;
  const confirms = state.isLineMode ? 'an empty line' : 'Enter';
  const hint = isRestored
    ? `${confirms} sends these words without the file`
    : 'the prompt is the latest one in the history';
  const paused = { ...next, dialog, unconfirmed, isQueuePaused: state.queue.length > 0 };
  return refuse(withBranch(paused, answer.branch), problem, dialog ? undefined : hint);
}

/** Ends an answer: prints what follows it, and restores a prompt without an answer. */
export function onAnswerEnded(state: ReplState, outcome: AnswerOutcome): Update {
  const { activity: answer } = state;
  if (answer?.type !== 'answer') return step(state);
  const next = { ...state, activity: undefined };
  const close = (ended: ReplState) => closeAnswer(ended, answer);
  if (outcome.type === 'finished') {
    // The service works again, so a paused queue continues.
    const reported = reportFigures({ ...next, isQueuePaused: false }, answer);
    return andThen(reported, close, offerRemedies, titleIfNeeded, compactIfNeeded);
  }
  const closed = 'hasText' in outcome && outcome.hasText ? close(next) : step(next);
  const report = (last: ReplState) => {
    if (outcome.type === 'failed') return onFailure(last, outcome, answer);
    if (outcome.type === 'unconfirmed') return onUnconfirmed(last, outcome, answer);
    return onStop(last, outcome.hasText, answer);
  };
  return andThen(closed, report, reportQueue);
}

function closeAnswer(state: ReplState, { since }: AnswerActivity): Update {
  const pair = lastPrompt(currentPath(state));
  if (pair?.answer === undefined) return step(state);
  const time = timeOf(state, pair.prompt);
  const entries = closingOf(state.conversation, pair, time, state.now - since);
  return entries.length === 0 ? step(state) : step(state, printing(...entries));
}

/** Prints the figures of both answers of a comparison with their version numbers, as a table if that fits. */
function reportFigures(state: ReplState, { comparedWith }: AnswerActivity): Update {
  const pair = lastPrompt(currentPath(state));
  if (pair === undefined || comparedWith === undefined) return step(state);
  const { ends } = versionsOf(state.conversation, pair);
  const answers = ends.flatMap((turn, index) => {
    if (turn.id !== comparedWith && turn.id !== pair.answer?.id) return [];
    const { usage, timing, model = 'answer', failure, incomplete, finishReason = '-' } = turn;
    const label = `version ${index + 1}: ${sanitizeLine(model)}`;
    const endReason = failure ?? (incomplete === true ? 'stopped' : finishReason);
    return [{ label, content: textOf(turn), usage, timing, endReason }];
  });
  const layout = { isTerminal: true, width: state.columns - 1, style: plainStyle };
  const text = state.isLineMode
    ? answers.map(figuresLine).join('\n')
    : figuresText(answers, layout);
  return printNotice(state, text.trimEnd());
}
