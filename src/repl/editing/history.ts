import { contentOf } from './keys/paste.ts';
import { recalledDraft } from './recalled-draft.ts';
import { draftFrom } from './text-buffer.ts';
import type { Draft } from './text-buffer.ts';

/**
 * Prompts sent before and the way through them. The unsent draft is the newest of them, and whatever is typed
 * into a recalled one stays there until something is sent, so walking through the history loses nothing.
 */
export interface History {
  /** Oldest first. */
  readonly entries: readonly Draft[];
  /** Index of the entry in the composer; `entries.length` is the draft. */
  readonly position: number;
  /** What was left behind on the way, by index; the draft among them. */
  readonly edits: ReadonlyMap<number, Draft>;
}

/** Where a step through the history leads, and what the composer then shows. */
export interface HistoryStep {
  readonly history: History;
  readonly draft: Draft;
}

const mostEntries = 2000;

/** A slash in a paste would begin no command. */
function recalled(text: string): Draft {
  return text.startsWith('/') ? draftFrom(text) : recalledDraft(text);
}

export function createHistory(texts: readonly string[] = []): History {
  const entries = texts.slice(-mostEntries).map(recalled);
  return { entries, position: entries.length, edits: new Map() };
}

const nothing = draftFrom('');

/** What the composer shows at an index. */
function draftAt(history: History, index: number): Draft {
  return history.edits.get(index) ?? history.entries[index] ?? nothing;
}

/** Goes to an entry (`entries.length` for the draft), leaving what the composer holds where it was. */
export function goTo(history: History, index: number, current: Draft): HistoryStep {
  const edits = new Map(history.edits).set(history.position, current);
  const next = { ...history, edits, position: index };
  return { history: next, draft: draftAt(next, index) };
}

/** The next older prompt; undefined at the oldest. */
export function goOlder(history: History, current: Draft): HistoryStep | undefined {
  return history.position === 0 ? undefined : goTo(history, history.position - 1, current);
}

/** The next newer prompt, the draft at last; undefined at the draft. */
export function goNewer(history: History, current: Draft): HistoryStep | undefined {
  return history.position === history.entries.length
    ? undefined
    : goTo(history, history.position + 1, current);
}

/**
 * The history after a text was sent (or put aside by Ctrl-C): it is the newest entry, unless it is empty or
 * the newest already. `draft` goes into the composer: empty, or the unsent draft when a recalled prompt was sent.
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
