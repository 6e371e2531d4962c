import { contextWindow } from '../../conversation/context-fit.ts';
import { titleOf } from '../../conversation/tree.ts';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { displayWidth, graphemes, splitAtWidth } from '../../terminal/text/width.ts';
import type { Candidate, CompletionRequest } from '../composer/completion.ts';
import {
  contains,
  matchOf,
  olderMatches,
  type History,
  type HistorySearch,
} from '../composer/history.ts';
import { keyOf, neededKeyOf, type KeyMap } from '../composer/keys/key-bindings.ts';
import { layout, composerColumns, composerRows } from '../composer/layout.ts';
import { contentOf, shownText } from '../composer/paste.ts';
import { isEmpty } from '../composer/text-buffer.ts';
import type { Dialog } from '../dialog.ts';
import type { ReplState } from '../state.ts';
import { stalledSeconds, cancelHintText, sourceName } from '../text/status-text.ts';
import { caretShapeOf, modeText, typesText, viSelection } from '../vi-keys.ts';
import { fittingEnd } from '../view/fit-parts.ts';
import { firstVisible } from '../view/fit-view.ts';
import type {
  ComposerView,
  DialogView,
  FooterView,
  SearchView,
  Status,
  ViewModel,
} from '../view/view-model.ts';

const secondsBetween = (from: number, to: number) => Math.max(0, Math.floor((to - from) / 1000));

function statusOf({ activity, now, composer, host }: ReplState): Status {
  if (activity === undefined) return { phase: 'idle' };
  if (activity.isStopping) return { phase: 'stopping' };
  const seconds = secondsBetween(activity.since, now);
  if (activity.type === 'task') return { phase: 'working', task: activity.name, seconds };
  const model = sanitizeLine(host ?? activity.model);
  const { retry, phase, tokens } = activity;
  if (phase === 'retrying' && retry !== undefined) {
    const secondsLeft = Math.max(0, Math.ceil((retry.at - now) / 1000));
    const cause = sanitizeLine(retry.cause);
    const { retry: number, retries } = retry;
    return {
      phase,
      model,
      cause,
      secondsLeft,
      retry: number,
      retries,
      canHurry: isEmpty(composer),
    };
  }
  return phase === 'streaming'
    ? { phase, model, seconds, tokens, isEstimate: true, stalled: stalledSeconds(activity, now) }
    : { phase: 'waiting', model, seconds };
}

/** During a history search, the match replaces the composer's text. */
function composerOf(state: ReplState): ComposerView {
  const found = state.search && matchOf(state.history, state.search);
  const draft = found ?? state.composer;
  const selected = found === undefined ? viSelection(state) : undefined;
  const shown = layout(draft, composerColumns(state.columns), composerRows(state.rows), selected);
  const { rows, cursorRow, cursorColumn, hasMoreAbove, hasMoreBelow, selections } = shown;
  return {
    rows,
    caret: { row: cursorRow, column: cursorColumn },
    caretShape: state.vi && caretShapeOf(state.vi),
    selections,
    hasMoreAbove,
    hasMoreBelow,
    placeholder: state.activity === undefined ? 'type a prompt' : 'type the next prompt',
  };
}

function footerOf(state: ReplState): FooterView {
  const { settings, context, conversation, service } = state;
  return {
    mode: state.vi && sanitizeLine(modeText(state.vi)),
    conversation: sanitizeLine(titleOf(conversation)) || 'new conversation',
    source: sourceName(service),
    model: sanitizeLine(settings.model),
    contextUsed: context.tokens,
    isEstimate: context.isEstimate,
    contextWindow: contextWindow(settings.model, service.windows),
  };
}

/** The keys that stop an answer, if they are not just Esc. */
function stopKeysOf({ keyMap, vi }: ReplState): string | undefined {
  const key = keyOf('stop', keyMap);
  if (key !== 'Esc') return key ?? neededKeyOf('interrupt', keyMap);
  return vi !== undefined && typesText(vi) ? 'Esc Esc' : undefined;
}

function stashText({ stash = [], composer, keyMap }: ReplState): string | undefined {
  const count = stash.length;
  if (count === 0) return undefined;
  const drafts = count === 1 ? 'the stashed draft' : `1 of ${count} drafts`;
  const key = isEmpty(composer) ? keyOf('stash', keyMap) : undefined;
  return key === undefined ? `after this prompt: ${drafts}` : `${key} restores ${drafts}`;
}

/** With a draft, Enter sends that first. */
function pausedQueueText({ composer, activity, keyMap }: ReplState): string | undefined {
  if (activity !== undefined) return undefined;
  if (!isEmpty(composer)) return 'the queue is sent after this prompt';
  const up = keyOf('move-up', keyMap);
  const sends = `${neededKeyOf('send', keyMap)} sends the queue`;
  return up === undefined ? sends : `${sends}, ${up} edits it`;
}

function recognisedText(keyMap: KeyMap | undefined): string {
  const undo = keyOf('undo', keyMap);
  return `@ attaches the file${undo === undefined ? '' : `; ${undo} undoes it`}`;
}

/** Notices fit into a window of 40 columns. */
function noticeOf(state: ReplState): string | undefined {
  const { branch, queue, completion, composer, recognised, keyMap, vi } = state;
  const interrupt = neededKeyOf('interrupt', keyMap);
  if (completion?.isPartial === true) return 'not all files searched; type a folder/';
  if (composer.text === recognised && recognised !== '') return recognisedText(keyMap);
  if (state.isQuitArmed) return `press ${interrupt} again to quit`;
  if (state.isExitWordEntered) {
    const isTyping = vi === undefined || typesText(vi);
    return isTyping ? `press ${neededKeyOf('send', keyMap)} again to quit` : 'press Enter to quit';
  }
  if (branch?.reason === 'edit') return `new version; ${interrupt} keeps the old one`;
  const queueText = queue.length > 0 && state.isQueuePaused ? pausedQueueText(state) : undefined;
  return queueText ?? stashText(state);
}

/** Columns beside a path in the menu: its mark, and the position. */
const pathMargin = 17;

/** Rows of a search for older matches. */
const maxOlderMatches = 4;

function searchView(history: History, search: HistorySearch): SearchView {
  const older = olderMatches(history, search, maxOlderMatches);
  const match = matchOf(history, search);
  return {
    query: sanitizeLine(search.query),
    found: !search.isFailed,
    isMatching: match !== undefined && contains(match, search.query),
    older: older.map((draft) => sanitizeLine(shownText(draft).replaceAll(/\s*\n\s*/g, ' '))),
  };
}

/** Maximum columns of a dialog's label and the caret. */
const labelColumns = 14;

const labels = { address: 'base URL', key: 'API key', value: 'value' } as const;

/** A long path is shortened at its start: its name matters most. */
function candidateLabel(
  { kind }: CompletionRequest,
  { value, isFolder }: Candidate,
  columns: number,
): string {
  const slash = kind === 'command' ? '/' : '';
  const label = sanitizeLine(`${slash}${value}${isFolder === true ? '/' : ''}`);
  const room = Math.max(8, columns - pathMargin);
  return kind !== 'path' || displayWidth(label) <= room
    ? label
    : `...${fittingEnd(label, room - 3)}`;
}

function entryView(
  dialog: Dialog & { type: 'entry' },
  columns: number,
  { enter, cancelHint }: { readonly enter: string; readonly cancelHint: string },
): DialogView {
  const { input, isHidden, asks, title } = dialog;
  const content = contentOf(input);
  const show = (text: string) =>
    isHidden ? '*'.repeat([...graphemes(text)].length) : sanitizeLine(text);
  const room = Math.max(8, columns - labelColumns);
  const before = fittingEnd(show(content.slice(0, input.cursor)), room);
  const [after] = splitAtWidth(show(content.slice(input.cursor)), room - displayWidth(before));
  return {
    kind: 'entry',
    title: sanitizeLine(title),
    hints: [`${enter} continues`, cancelHint],
    label: labels[asks],
    text: before + after,
    caretColumn: displayWidth(before),
  };
}

/** Rows of the window besides the choices: the title, the hints, the footer, and one row of the text above. */
const rowsBesideChoices = 4;

function dialogView(dialog: Dialog, state: ReplState): DialogView {
  const cancelHint = cancelHintText(state);
  const enter = neededKeyOf('send', state.keyMap);
  if (dialog.type === 'entry') return entryView(dialog, state.columns, { enter, cancelHint });
  const shown = Math.max(1, state.rows - rowsBesideChoices);
  const first = firstVisible(dialog.selected, dialog.choices.length, shown);
  const hasSandbox = dialog.choices.some(({ key }) => key === 'sandbox');
  return {
    kind: 'choice',
    title: sanitizeLine(dialog.title),
    hints: [
      `${enter} or a number chooses`,
      ...(hasSandbox ? ['or type a prompt'] : []),
      cancelHint,
    ],
    options: dialog.choices.slice(first, first + shown).map((choice, index) => ({
      label: sanitizeLine(`${first + index + 1} ${choice.label}`),
    })),
    selected: dialog.selected - first,
  };
}

/** `tail` is the preview of the answer's undecided end. */
export function buildViewModel(state: ReplState, tail: string): ViewModel {
  const { completion, search, queue, dialog } = state;
  return {
    tail,
    status: statusOf(state),
    stopKeys: stopKeysOf(state),
    sendKey: state.keyMap && neededKeyOf('send', state.keyMap),
    queue: queue.map((draft) => sanitizeLine(shownText(draft))),
    isQueuePaused: state.isQueuePaused,
    attachments: state.attachments.map(({ name }) => sanitizeLine(name)),
    composer: composerOf(state),
    completion: completion && {
      candidates: completion.candidates.map((candidate) => ({
        label: candidateLabel(completion.request, candidate, state.columns),
        ...(candidate.argument === undefined ? {} : { argument: candidate.argument }),
        ...(candidate.summary === undefined ? {} : { summary: sanitizeLine(candidate.summary) }),
      })),
      selected: completion.selected,
    },
    search: search && searchView(state.history, search),
    notice: noticeOf(state),
    footer: footerOf(state),
    dialog: dialog && dialogView(dialog, state),
  };
}
