import { contextWindow } from '../../conversation/context-fit.ts';
import { titleOf } from '../../conversation/tree.ts';
import { count, tokenText } from '../../output/figures.ts';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { displayWidth, graphemes, splitAtWidth } from '../../terminal/text/width.ts';
import type { Candidate, CompletionRequest } from '../editing/completion.ts';
import { matchOf } from '../editing/history.ts';
import { layout, composerColumns, composerRows } from '../editing/layout.ts';
import { contentOf, shownText } from '../editing/paste.ts';
import type { Dialog } from '../state/dialog.ts';
import type { AnswerUsage, ReplState, ServiceFacts } from '../state/state.ts';
import { stalledSeconds, cancelHintText } from '../text/status-text.ts';
import type {
  ComposerView,
  DialogView,
  FooterView,
  Status,
  ViewModel,
} from '../view/view-model.ts';

const secondsBetween = (from: number, to: number) => Math.max(0, Math.floor((to - from) / 1000));

function statusOf({ activity, now }: ReplState): Status {
  if (activity === undefined) return { phase: 'idle' };
  if (activity.isStopping) return { phase: 'stopping' };
  const seconds = secondsBetween(activity.since, now);
  if (activity.type === 'task') return { phase: 'working', task: activity.name, seconds };
  const model = sanitizeLine(activity.model);
  const { retry, phase, tokens } = activity;
  if (phase === 'retrying' && retry !== undefined) {
    const secondsLeft = Math.max(0, Math.ceil((retry.at - now) / 1000));
    const cause = sanitizeLine(retry.cause);
    return { phase, model, cause, secondsLeft, retry: retry.retry, retries: retry.retries };
  }
  return phase === 'streaming'
    ? { phase, model, seconds, tokens, isEstimate: true, stalled: stalledSeconds(activity, now) }
    : { phase: 'waiting', model, seconds };
}

/** During a history search, the match replaces the composer's text. */
function composerOf(state: ReplState): ComposerView {
  const found = state.search && matchOf(state.history, state.search);
  const draft = found ?? state.composer;
  const shown = layout(draft, composerColumns(state.columns), composerRows(state.rows));
  const { rows, cursorRow, cursorColumn, hasMoreAbove, hasMoreBelow } = shown;
  return {
    rows,
    caret: { row: cursorRow, column: cursorColumn },
    hasMoreAbove,
    hasMoreBelow,
    placeholder: state.conversation.turns.size === 0 ? 'type a prompt, or /help' : '',
  };
}

function usageText({ promptTokens, completionTokens, isEstimate }: AnswerUsage): string {
  const mark = isEstimate ? '~' : '';
  return `${tokenText(promptTokens, isEstimate)} in, ${mark}${count(completionTokens)} out`;
}

function sourceOf({ isSandbox, isReplay }: ServiceFacts): string | undefined {
  if (isReplay === true) return 'replay';
  return isSandbox ? 'sandbox' : undefined;
}

function footerOf(state: ReplState): FooterView {
  const { settings, context, conversation, service, lastUsage } = state;
  return {
    conversation: sanitizeLine(titleOf(conversation)) || 'new conversation',
    source: sourceOf(service),
    model: sanitizeLine(settings.model),
    contextUsed: context.tokens,
    isEstimate: context.isEstimate,
    contextWindow: contextWindow(settings.model, service.windows),
    usage: lastUsage && usageText(lastUsage),
  };
}

const pausedQueueText = 'Enter sends the queue, Up edits it';

function noticeOf({
  isQuitArmed,
  isExitWordEntered,
  branch,
  queue,
  isQueuePaused,
}: ReplState): string | undefined {
  if (isQuitArmed) return 'press Ctrl-C again to quit';
  if (isExitWordEntered) return 'press Enter again to quit';
  if (branch?.reason === 'edit') return 'new version of your prompt; Ctrl-C keeps the old version';
  return queue.length > 0 && isQueuePaused ? pausedQueueText : undefined;
}

function candidateLabel({ kind }: CompletionRequest, { value, isFolder }: Candidate): string {
  const slash = kind === 'command' ? '/' : '';
  return sanitizeLine(`${slash}${value}${isFolder === true ? '/' : ''}`);
}

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

function dialogView(dialog: Dialog, columns: number, cancelHint: string): DialogView {
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

/** `tail` is the preview of the answer's undecided end. */
export function buildViewModel(state: ReplState, tail: string): ViewModel {
  const { completion, search, queue, dialog } = state;
  return {
    tail,
    status: statusOf(state),
    queue: queue.map((draft) => sanitizeLine(shownText(draft))),
    isQueuePaused: state.isQueuePaused,
    attachments: state.attachments.map(({ name }) => sanitizeLine(name)),
    composer: composerOf(state),
    completion: completion && {
      candidates: completion.candidates.map((candidate) => ({
        label: candidateLabel(completion.request, candidate),
        ...(candidate.summary === undefined ? {} : { summary: sanitizeLine(candidate.summary) }),
      })),
      selected: completion.selected,
    },
    search: search && { query: sanitizeLine(search.query), found: !search.isFailed },
    notice: noticeOf(state),
    footer: footerOf(state),
    dialog: dialog && dialogView(dialog, state.columns, cancelHintText(state)),
  };
}
