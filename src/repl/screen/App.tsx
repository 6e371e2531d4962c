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
import { StatusRow } from './StatusRow.tsx';
import { fittingParts, type LinePart, Lines, Row, useBelowCaret, useView } from './view.tsx';
import { contextWindow } from '../../conversation/context-fit.ts';
import { titleOf } from '../../conversation/tree.ts';
import { percent, shortCount, tokenText } from '../../output/figures.ts';
import { keyOf } from '../composer/keys/key-bindings.ts';
import { isEmpty } from '../composer/text-buffer.ts';
import type { ContextUse, ReplState } from '../state.ts';
import { sourceName, stopKey } from '../step.ts';
import { modeText } from '../composer/vi/vi-keys.ts';

/** The first lines, and on the last row how many more there are. */
function FirstLines({
  lines,
  rows,
  more,
}: Readonly<{
  lines: readonly string[];
  rows: number;
  more: (hidden: number) => string;
}>): ReactNode {
  const { style } = useView();
  const last = rows - 1;
  const all = lines.length > rows ? [...lines.slice(0, last), more(lines.length - last)] : lines;
  return <Lines lines={all.map((line) => style.dim(line))} />;
}

/** Queued prompts, each on one row. */
export function Queue({ rows }: { readonly rows: number }): ReactNode {
  const { queue, isQueuePaused } = useView().state;
  const label = isQueuePaused ? 'queued: ' : 'next: ';
  const lines = queue.map((draft) => label + draftRow(draft));
  return <FirstLines lines={lines} rows={rows} more={(hidden) => `${label}${hidden} more`} />;
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

/** Distributes the rows of a window beside the composer; one row is reserved for the text above. A part with 0 rows is omitted. */
function budgetOf(
  rows: number,
  composerRows: number,
  wanted: Readonly<
    Record<
      'tail' | 'status' | 'queue' | 'attachments' | 'search' | 'completion' | 'panel' | 'notice',
      number
    >
  >,
) {
  const { status, queue } = wanted;
  const budget = {
    ...wanted,
    gap: 1,
    queue: Math.min(maxQueueRows, queue),
    /** The margin below the activity. */
    margin: status + queue > 0 && rows >= minRowsForMargin ? 1 : 0,
    /** The rule above the composer. */
    rule: rows >= minRowsForRule ? 1 : 0,
    completion: Math.min(maxCompletionRows, wanted.completion),
    footer: 1,
  };
  const sum = Object.values(budget).reduce((total, count) => total + count, 0);
  let excess = sum + composerRows - (rows - 1);
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
  const budget = budgetOf(rows, composer.rows.length, {
    tail: hasTail ? 1 : 0,
    status: (state.activity ?? state.aside) === undefined ? 0 : 1,
    queue: state.queue.length,
    attachments: state.attachments.length > 0 ? 1 : 0,
    search: search === undefined ? 0 : 1 + maxOlderMatches,
    completion: completion?.candidates.length ?? 0,
    panel: panel.length,
    notice: notice === undefined ? 0 : 1,
  });
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
          <FirstLines lines={panel} rows={budget.panel} more={(hidden) => `${hidden} more rows`} />
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
  const { state, style, symbols, columns } = useView();
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
  const shown = fittingParts(parts, room, symbols, gap);
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
