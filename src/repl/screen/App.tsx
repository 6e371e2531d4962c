import { Box, Text } from 'ink';
import { type ReactNode, useState } from 'react';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { displayWidth } from '../../terminal/text/width.ts';
import { panelOf } from '../commands.ts';
import { ConversationList } from '../conversation-list/ConversationList.tsx';
import { isNearlyFull } from '../conversations/position.ts';
import { menuKeysText, namesNoCommand } from '../menu.ts';
import {
  CompletionMenu,
  Composer,
  composerOf,
  draftRow,
  maxOlderMatches,
  SearchLines,
  useHistorySearch,
} from './Composer.tsx';
import { DialogBox } from './DialogBox.tsx';
import {
  fittingParts,
  type LinePart,
  Lines,
  Row,
  useBelowCaret,
  useView,
  type View,
} from './view.tsx';
import { contextWindow } from '../../conversation/context-fit.ts';
import { titleOf } from '../../conversation/tree.ts';
import { durationText, percent, shortCount, tokenText } from '../../output/figures.ts';
import { keyOf } from '../composer/keys/key-bindings.ts';
import { isEmpty } from '../composer/text-buffer.ts';
import type { AnswerActivity, ContextUse, ReplState } from '../state.ts';
import { sourceName, stalledSeconds, stopKey } from '../step.ts';
import { modeText } from '../composer/vi/vi-keys.ts';

/** The first lines, and on the last row how many more there are. */
function firstLines(lines: readonly string[], rows: number, more: (hidden: number) => string) {
  const last = rows - 1;
  return lines.length > rows ? [...lines.slice(0, last), more(lines.length - last)] : lines;
}

/** Queued prompts, each on one row. */
export function Queue({ rows }: { readonly rows: number }): ReactNode {
  const { state, style } = useView();
  const { queue, isQueuePaused } = state;
  const label = isQueuePaused ? 'queued: ' : 'next: ';
  const lines = queue.map((draft) => label + draftRow(draft));
  const shown = firstLines(lines, rows, (hidden) => `${label}${hidden} more`);
  return <Lines lines={shown.map((line) => style.dim(line))} />;
}

/** The files of the next prompt; and the command that removes them, as far as there is room. */
function Attachments(): ReactNode {
  const { state, style } = useView();
  const names = state.attachments.map(({ name }) => sanitizeLine(name));
  const them = names.length === 1 ? 'it' : 'them';
  return <Row>{style.dim(`with ${names.join(', ')}; /attach none removes ${them}`)}</Row>;
}

function stashText({ stash = [], composer, keyMap }: ReplState): string | undefined {
  const count = stash.length;
  if (count === 0) return undefined;
  const drafts = count === 1 ? 'the stashed draft' : `1 of ${count} drafts`;
  const key = isEmpty(composer) ? keyOf('stash', keyMap) : undefined;
  return key === undefined ? `after this prompt: ${drafts}` : `${key} restores ${drafts}`;
}

/** What the queue waits for. Enter sends a draft first, if there is one. */
function pausedQueueText({ composer, activity, keyMap }: ReplState): string | undefined {
  if (activity !== undefined) return undefined;
  if (!isEmpty(composer)) return 'the queue is sent after this prompt';
  const up = keyOf('move-up', keyMap);
  const sends = `${keyOf('send', keyMap)} sends the queue`;
  return up === undefined ? sends : `${sends}, ${up} edits it`;
}

/** Notices fit into a window of 40 columns. */
export function noticeOf(state: ReplState): string | undefined {
  const { branch, queue, completion, composer, recognised, keyMap, vi, armed } = state;
  const interrupt = keyOf('interrupt', keyMap);
  if (completion?.isPartial === true) return 'not all files searched; type a folder/';
  if (composer.text === recognised && recognised !== '') {
    const undo = keyOf('undo', keyMap);
    return `@ attaches the file${undo === undefined ? '' : `; ${undo} undoes it`}`;
  }
  if (armed === 'interrupt') return `press ${interrupt} again to quit`;
  if (armed === 'stop') return `${stopKey(state)} again edits an earlier prompt`;
  if (armed === 'send') {
    const isTyping = vi === undefined || vi.mode === 'insert';
    return isTyping ? `press ${keyOf('send', keyMap)} again to quit` : 'press Enter to quit';
  }
  if (branch?.reason === 'edit') return `new version; ${interrupt} keeps the old one`;
  if (namesNoCommand(state)) return 'no such command; /help lists them';
  const queueText = queue.length > 0 && state.isQueuePaused ? pausedQueueText(state) : undefined;
  return queueText ?? stashText(state);
}

const maxQueueRows = 4;
const maxCompletionRows = 8;

/** Rows of a window that has room for them. */
const minRowsForMargin = 16;
const minRowsForRule = 12;

/** Which parts shrink first in a low window, and to how many rows. */
const shrinkOrder = [
  [['margin', 'rule', 'gap'], 0],
  [['queue', 'completion', 'search', 'panel'], 1],
  [
    ['tail', 'attachments', 'queue', 'footer', 'notice', 'status', 'completion', 'panel', 'search'],
    0,
  ],
] as const;

type Part = (typeof shrinkOrder)[number][0][number];

/** The rows of each part if all have `room` rows. A part with 0 rows is omitted. */
function budgetOf(wanted: Readonly<Record<Part, number>>, room: number): Record<Part, number> {
  const budget = { ...wanted };
  let excess = Object.values(wanted).reduce((total, count) => total + count, -room);
  for (const [parts, minimum] of shrinkOrder) {
    for (const part of parts) {
      const removed = Math.max(0, Math.min(excess, budget[part] - minimum));
      budget[part] -= removed;
      excess -= removed;
    }
  }
  return budget;
}

/** The parts of the live region that have room, from the status to the footer. */
function Parts(): ReactNode {
  const { state, style, symbols, columns, rows, hasTail } = useView();
  // A row of full width would be two rows after a resize.
  const rule = symbols.rule.repeat(Math.ceil(columns / 3));
  const { dialog, completion } = state;
  // A question with the title of the one before it, such as a second try at a key, starts without its input.
  const [asked, setAsked] = useState({ dialog, number: 0 });
  if (asked.dialog !== dialog) setAsked({ dialog, number: asked.number + 1 });
  const search = useHistorySearch();
  const composer = composerOf(state, search);
  const notice = noticeOf(state);
  const keys = menuKeysText(state);
  const panel = keys === undefined ? panelOf(state) : [keys];
  const running = state.activity ?? state.aside;
  const wanted = {
    gap: 1,
    tail: Number(hasTail),
    status: Number(running !== undefined),
    queue: Math.min(maxQueueRows, state.queue.length),
    /** Below the activity. */
    margin: Number((running ?? state.queue[0]) !== undefined && rows >= minRowsForMargin),
    /** Above the composer. */
    rule: Number(rows >= minRowsForRule),
    attachments: Number(state.attachments.length > 0),
    search: search === undefined ? 0 : 1 + maxOlderMatches,
    completion: Math.min(maxCompletionRows, completion?.candidates.length ?? 0),
    panel: panel.length,
    notice: Number(notice !== undefined),
    footer: 1,
  };
  // One row is reserved for the text above.
  const budget = budgetOf(wanted, rows - 1 - composer.rows.length);
  const panelRows = firstLines(panel, budget.panel, (hidden) => `${hidden} more rows`);
  const below = useBelowCaret();
  const isComposing = dialog === undefined;
  return (
    <>
      {budget.gap > 0 && <Row>{''}</Row>}
      {budget.status > 0 && <StatusRow />}
      {budget.queue > 0 && <Queue rows={budget.queue} />}
      {budget.margin > 0 && <Row>{''}</Row>}
      {budget.rule > 0 && <Row>{style.dim(rule)}</Row>}
      {isComposing ? (
        <Composer composer={composer} />
      ) : (
        <DialogBox key={asked.number} dialog={dialog} />
      )}
      <Box ref={below} flexDirection="column">
        {isComposing && budget.attachments > 0 && <Attachments />}
        {isComposing && budget.search > 0 && search && (
          <SearchLines search={search} rows={budget.search} />
        )}
        {isComposing && budget.completion > 0 && completion && (
          <CompletionMenu menu={completion} rows={budget.completion} />
        )}
        {isComposing && budget.panel > 0 && (
          <Lines lines={panelRows.map((line) => style.dim(line))} />
        )}
        {isComposing && budget.notice > 0 && <Row>{style.yellow(notice ?? '')}</Row>}
        {budget.footer > 0 && <Footer />}
      </Box>
    </>
  );
}

/** The live region: the conversation's controls, or the open list, above which a dialog may be. */
export function App(): ReactNode {
  const { state, columns } = useView();
  const { list, dialog } = state;
  return (
    <Box flexDirection="column" width={columns}>
      {list === undefined || dialog !== undefined ? <Parts /> : <ConversationList list={list} />}
    </Box>
  );
}

const minTitleColumns = 10;
const gap = '  ';

/** `1.4K/128K 1%`, `~36/128K`; empty at the start. */
function contextText({ tokens, isEstimate }: ContextUse, window: number | undefined): string {
  if (tokens === 0) return '';
  if (window === undefined) return tokenText(tokens, isEstimate);
  const used = `${isEstimate ? '~' : ''}${shortCount(tokens)}/${shortCount(window)}`;
  const share = percent(tokens, window);
  return share === '0%' ? used : `${used} ${share}`;
}

/** The title on the left, in the room that is left; on the right who answers, and the use of the model's window. */
export function Footer(): ReactNode {
  const { state, style, columns } = useView();
  const { settings, context, conversation, service, vi } = state;
  const window = contextWindow(settings.model, service.windows);
  const warn = (text: string) => style.bold(style.yellow(text));
  const paintUse = isNearlyFull(state) ? warn : style.dim;
  const parts: readonly LinePart[] = [
    { text: sourceName(service) ?? '', priority: 2 },
    { text: sanitizeLine(settings.model), priority: 1 },
    { text: contextText(context, window), paint: paintUse, priority: 3 },
  ];
  // The mode of vi editing is always shown.
  const mode = vi === undefined ? '' : sanitizeLine(modeText(vi)) + gap;
  const room = Math.max(0, columns - displayWidth(mode));
  const shown = fittingParts(parts, room, gap);
  const used = displayWidth(shown.map(({ text }) => text).join(gap));
  const hasTitle = room - used - gap.length >= minTitleColumns;
  const title = sanitizeLine(titleOf(conversation)) || 'new conversation';
  return (
    <Box>
      <Box flexGrow={1} flexShrink={1}>
        <Text wrap="truncate">{mode + style.dim(hasTitle ? title : '')}</Text>
      </Box>
      <Box flexShrink={0} marginLeft={hasTitle ? gap.length : 0}>
        <Text>{shown.map(({ text, paint }) => paint?.(text) ?? text).join(gap)}</Text>
      </Box>
    </Box>
  );
}

function stopKeys(state: ReplState): string {
  const key = stopKey(state);
  return key === 'Esc' && state.vi?.mode === 'insert' ? 'Esc Esc' : key;
}

const hint = (key: string, does: string, priority: number): LinePart => ({
  text: `${key} ${does}`,
  priority,
  key,
});

/** Columns that the longer hint needs. */
const stalledColumns = 50;
/** Columns below which a shortened task or model means nothing. */
const minTaskColumns = 12;
/** Columns below which a retry row has shorter words. */
const narrowColumns = 60;

/** The countdown is never shortened; the cause is, before the key for a retry is left out. */
function retryParts(
  { cause, retry, retries, at }: NonNullable<AnswerActivity['retry']>,
  state: ReplState,
  columns: number,
): readonly LinePart[] {
  const { composer, keyMap, now } = state;
  const isNarrow = columns < narrowColumns;
  const left = Math.max(0, Math.ceil((at - now) / 1000));
  const wait = left > 0 ? `in ${durationText(left)}` : 'now';
  // With a draft, Enter would queue that.
  const canHurry = isEmpty(composer) && left > 0;
  const send = keyOf('send', keyMap);
  return [
    { text: sanitizeLine(cause), priority: 1, minColumns: isNarrow ? 10 : minTaskColumns },
    { text: isNarrow ? `retry ${wait}` : `retry ${retry} of ${retries} ${wait}`, priority: 4 },
    ...(canHurry ? [hint(send, isNarrow ? 'now' : 'retries now', 3)] : []),
    hint(stopKeys(state), 'gives up', canHurry ? 0 : 3),
  ];
}

/** Rounds an estimate, so that the number does not flicker. */
function roundEstimate(tokens: number): number {
  if (tokens < 10) return Math.ceil(tokens);
  const step = tokens < 1000 ? 10 : 50;
  return Math.round(tokens / step) * step;
}

/** Beside an answer, which Esc stops first, a side question is only named. */
function partsOf(view: View, columns: number): readonly LinePart[] {
  const { activity, aside, asides = [], now, host } = view.state;
  const running = activity ?? aside;
  if (running === undefined) return [];
  const seconds = Math.max(0, Math.floor((now - running.since) / 1000));
  const time = seconds > 0 ? durationText(seconds) : '';
  const stops = hint(stopKeys(view.state), 'stops', 1);
  const parts = (): readonly LinePart[] => {
    if (running.isStopping) return [{ text: 'stopping', priority: 1 }];
    if (activity === undefined) {
      const cause = sanitizeLine(aside?.cause ?? 'waiting');
      return [
        { text: 'btw', priority: 3 },
        { text: cause, priority: 0, minColumns: minTaskColumns },
        { text: time, priority: 2 },
        stops,
      ];
    }
    if (activity.type === 'task') {
      const name: LinePart = { text: activity.name, priority: 3, minColumns: minTaskColumns };
      return [name, { text: time, priority: 2 }, stops];
    }
    const { phase, retry, tokens } = activity;
    if (phase === 'retrying' && retry !== undefined) return retryParts(retry, view.state, columns);
    const model: LinePart = { text: sanitizeLine(host ?? activity.model), priority: 2 };
    if (phase !== 'streaming') {
      const waiting: LinePart = { text: `waiting ${time}`.trim(), priority: 3 };
      return [{ ...model, minColumns: minTaskColumns }, waiting, stops];
    }
    const stalled = stalledSeconds(activity, now);
    const figures = [model, { text: durationText(seconds), priority: 0 }];
    const count = tokenText(roundEstimate(tokens), true);
    if (stalled === undefined) return [...figures, { text: count, priority: 3 }, stops];
    // For a stalled answer, the key that stops it matters more.
    const keeps = hint(stopKeys(view.state), 'stops and keeps the text', 3);
    return [
      ...figures,
      { text: `nothing for ${durationText(stalled)}`, priority: 4 },
      { text: count, priority: 0 },
      columns < stalledColumns ? stops : keeps,
    ];
  };
  const answered = asides.length > 0 ? 'btw answered' : '';
  const named = activity === undefined ? '' : answered || (aside === undefined ? '' : 'btw');
  return [...parts(), { text: named, priority: 2 }];
}

/** Milliseconds of a frame of the spinner. */
export const spinnerPace = 100;

/** What natter does, and the keys for it, with a spinner that turns. */
export function StatusRow(): ReactNode {
  const view = useView();
  const { state, style, symbols, columns, now } = view;
  const { activity } = state;
  const frame = Math.floor(now / spinnerPace) % symbols.spinner.length;
  const spinner = `${symbols.spinner[frame]} `;
  const room = Math.max(1, columns - displayWidth(spinner));
  const answer = activity?.type === 'answer' && !activity.isStopping ? activity : undefined;
  const isStalled = answer !== undefined && stalledSeconds(answer, state.now) !== undefined;
  const paint = isStalled || answer?.phase === 'retrying' ? style.yellow : style.dim;
  const parts = fittingParts(partsOf(view, room), room, symbols.dot);
  // Keys are brighter than what they do.
  const painted = parts.map(
    ({ text, key = '' }) => style.bold(key) + paint(text.slice(key.length)),
  );
  return <Row>{style.cyan(spinner) + painted.join(paint(symbols.dot))}</Row>;
}
