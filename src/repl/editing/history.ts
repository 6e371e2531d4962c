import { contentOf } from './paste.ts';
import { recalledDraft } from './recalled-draft.ts';
import { draftFrom } from './text-buffer.ts';
import type { Draft } from './text-buffer.ts';

/**
 * Sent prompts and the position among them. The unsent draft is the newest entry. Edits to a recalled prompt stay
 * until something is sent, so browsing the history loses nothing.
 */
export interface History {
  /** Oldest first. */
  readonly entries: readonly Draft[];
  /** Index of the entry in the composer; `entries.length` means the draft. */
  readonly position: number;
  /** Edited entries and the draft, by index. */
  readonly edits: ReadonlyMap<number, Draft>;
}

/** The history after one step, and the new content of the composer. */
export interface HistoryStep {
  readonly history: History;
  readonly draft: Draft;
}

const mostEntries = 2000;

/** A leading slash stays typed text: inside a paste marker it would not start a command. */
function recalled(text: string): Draft {
  return text.startsWith('/') ? draftFrom(text) : recalledDraft(text);
}

export function createHistory(texts: readonly string[] = []): History {
  const entries = texts.slice(-mostEntries).map(recalled);
  return { entries, position: entries.length, edits: new Map() };
}

const nothing = draftFrom('');

function draftAt(history: History, index: number): Draft {
  return history.edits.get(index) ?? history.entries[index] ?? nothing;
}

/** Moves to an entry (`entries.length` for the draft) and keeps the composer's text at its place. */
export function moveToEntry(history: History, index: number, current: Draft): HistoryStep {
  const edits = new Map(history.edits).set(history.position, current);
  const next = { ...history, edits, position: index };
  return { history: next, draft: draftAt(next, index) };
}

/** Undefined at the oldest prompt. */
export function olderEntry(history: History, current: Draft): HistoryStep | undefined {
  return history.position === 0 ? undefined : moveToEntry(history, history.position - 1, current);
}

/** Undefined at the draft, which follows the newest prompt. */
export function newerEntry(history: History, current: Draft): HistoryStep | undefined {
  return history.position === history.entries.length
    ? undefined
    : moveToEntry(history, history.position + 1, current);
}

/**
 * Adds a text that was sent or cleared by Ctrl-C, unless it is empty or repeats the newest entry. The returned `draft`
 * goes into the composer: empty, or the unsent draft if a recalled prompt was sent.
 */
export function remember(history: History, sent: Draft): HistoryStep {
  const wasDraft = history.position === history.entries.length;
  const draft = wasDraft ? nothing : draftAt(history, history.entries.length);
  const content = contentOf(sent);
  const newest = history.entries.at(-1);
  const isKnown = newest !== undefined && contentOf(newest) === content;
  const entries =
    content.trim() === '' || isKnown
      ? history.entries
      : [...history.entries.slice(1 - mostEntries), { ...sent, cursor: sent.text.length }];
  return { history: { entries, position: entries.length, edits: new Map() }, draft };
}
