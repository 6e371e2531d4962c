// The content of the live region as plain data: live/ derives it from the state, the components of view/ draw it.
//
// Every string is safe to show (sanitized, one line, no escape codes) unless its comment differs. Numbers
// are raw: the view formats them. Absent parts take no row.

import type { CaretShape } from '../../terminal/region/paint.ts';

/** All of the live region, top to bottom. */
export interface ViewModel {
  /** Preview of the answer's undecided end: styled, may contain line ends. The view shows its last rows. */
  readonly tail: string;
  readonly status: Status;
  /** The keys that stop an answer; `Esc` if absent. */
  readonly stopKeys?: string | undefined;
  /** The key that retries at once, if not Enter. */
  readonly sendKey?: string | undefined;
  /** Queued prompts, next first; each may contain line ends. */
  readonly queue: readonly string[];
  /** The queue is paused until the user continues it. */
  readonly isQueuePaused: boolean;
  /** Names of the files of the next prompt. */
  readonly attachments: readonly string[];
  readonly composer: ComposerView;
  readonly completion?: CompletionView | undefined;
  readonly search?: SearchView | undefined;
  /** A short notice below the composer, such as `press Ctrl+C again to quit`. */
  readonly notice?: string | undefined;
  readonly footer: FooterView;
  /** Replaces composer, menus and notice while open. */
  readonly dialog?: DialogView | undefined;
}

/** Current activity; `idle` shows no row. */
export type Status =
  | { readonly phase: 'idle' }
  /** The request was sent; no response yet. */
  | { readonly phase: 'waiting'; readonly model: string; readonly seconds: number }
  | {
      readonly phase: 'streaming';
      readonly model: string;
      /** Since the request was sent. */
      readonly seconds: number;
      /** Of the answer so far. */
      readonly tokens: number;
      /** The count is an estimate; absent if the service reported it. */
      readonly isEstimate?: boolean;
      /** Seconds without data, if stalled. */
      readonly stalled?: number | undefined;
    }
  | {
      readonly phase: 'retrying';
      readonly model: string;
      /** One sentence, such as `the service answered 503`. */
      readonly cause: string;
      readonly secondsLeft: number;
      /** Number of the next retry, from 1. */
      readonly retry: number;
      readonly retries: number;
      /** Enter ends the wait: the composer is empty. */
      readonly canHurry: boolean;
    }
  /** A task, such as `listing models`. */
  | { readonly phase: 'working'; readonly task: string; readonly seconds: number }
  /** Stopped by the user but not ended yet. */
  | { readonly phase: 'stopping' };

interface Caret {
  /** Index into the rows it belongs to. */
  readonly row: number;
  /** Number of columns to its left. */
  readonly column: number;
}

/** From `from` up to `to`. */
export interface Columns {
  readonly from: number;
  readonly to: number;
}

/** The draft as laid out by `layout` of `composer/layout.ts`. */
export interface ComposerView {
  readonly rows: readonly string[];
  readonly caret: Caret;
  /** The shape of the caret; absent for the terminal's own. */
  readonly caretShape?: CaretShape | undefined;
  /** The selected columns of each row, of vi editing. */
  readonly selections?: readonly (Columns | undefined)[] | undefined;
  readonly hasMoreAbove: boolean;
  readonly hasMoreBelow: boolean;
  /** Shown if the text is empty. */
  readonly placeholder: string;
}

export interface CompletionView {
  /** All candidates, best first; the view shows those near the selected one. */
  readonly candidates: readonly {
    readonly label: string;
    readonly argument?: string;
    readonly summary?: string;
  }[];
  /** Index in `candidates`. */
  readonly selected: number;
}

/** Reverse search through the history; the match is shown in the composer. */
export interface SearchView {
  readonly query: string;
  readonly found: boolean;
  /** The match in the composer contains the query. */
  readonly isMatching: boolean;
  /** The next older matches, each on one line. */
  readonly older: readonly string[];
}

export interface FooterView {
  /** Of vi editing: `NORMAL`, `INSERT`, `NORMAL 2d`. */
  readonly mode?: string | undefined;
  /** Title, or a short name of the conversation. */
  readonly conversation: string;
  /** The source of answers if not the service: `sandbox` or `replay`. */
  readonly source?: string | undefined;
  readonly model: string;
  /** Tokens of the conversation in the next request. */
  readonly contextUsed: number;
  readonly isEstimate: boolean;
  /** Size of the model's window in tokens; undefined for an unknown model. */
  readonly contextWindow: number | undefined;
}

interface DialogFrame {
  readonly title: string;
  /** Most important last: `Enter chooses`, `Esc uses the sandbox`. */
  readonly hints: readonly string[];
}

export type DialogView =
  | (DialogFrame & {
      readonly kind: 'choice';
      readonly options: readonly { readonly label: string }[];
      /** Index in `options`. */
      readonly selected: number;
    })
  /** One line of input: a URL, or a key, whose characters are already replaced by asterisks. */
  | (DialogFrame & {
      readonly kind: 'entry';
      /** `API key`. */
      readonly label: string;
      readonly text: string;
      /** Columns of `text` to the left of the caret. */
      readonly caretColumn: number;
    });
