// What the live region shows, as plain data: live/ makes it of the state, the components of view/ only draw it.
//
// Every string is safe to show (sanitized, one line, no escape codes) unless its comment says otherwise. Numbers
// are raw: the view formats them. Parts that are absent take no row.

/** All of the live region, top to bottom. */
export interface ViewModel {
  /**
   * The tail of the answer that the Markdown stream still holds, as it would look if the answer ended now:
   * styled, may hold line ends. Empty when nothing is held. The view shows its last rows.
   */
  readonly tail: string;
  readonly status: Status;
  /** Prompts that wait for the answer to end, first to be sent first; each may hold line ends. */
  readonly queue: readonly string[];
  /** The queue waits for the person. */
  readonly isQueuePaused: boolean;
  /** Names of files that go along with the next prompt. */
  readonly attachments: readonly string[];
  readonly composer: ComposerView;
  readonly completion?: CompletionView | undefined;
  readonly search?: SearchView | undefined;
  /** One passing remark under the composer: `Ctrl-C again leaves`. */
  readonly notice?: string | undefined;
  readonly footer: FooterView;
  /** Takes the place of composer, menus and notice while it is open. */
  readonly dialog?: DialogView | undefined;
}

/** What natter is doing; nothing is shown while it is idle. */
export type Status =
  | { readonly phase: 'idle' }
  /** The request is out, no byte has come. */
  | { readonly phase: 'waiting'; readonly model: string; readonly seconds: number }
  | {
      readonly phase: 'streaming';
      readonly model: string;
      /** Since the request left. */
      readonly seconds: number;
      /** Of the answer so far. */
      readonly tokens: number;
      /** The count is natter's estimate; absent: the service reported it. */
      readonly isEstimate?: boolean;
      /** Seconds for which nothing came, where that is long. */
      readonly stalled?: number | undefined;
    }
  | {
      readonly phase: 'retrying';
      readonly model: string;
      /** One sentence: `the service answered 503`. */
      readonly cause: string;
      readonly secondsLeft: number;
      /** The retry waited for, from 1. */
      readonly retry: number;
      readonly retries: number;
    }
  /** Something else takes time: `listing models`. */
  | { readonly phase: 'working'; readonly task: string; readonly seconds: number }
  /** The person stopped it, and it has not ended yet. */
  | { readonly phase: 'stopping' };

interface Caret {
  /** Index into the rows it belongs to. */
  readonly row: number;
  /** Columns to its left. */
  readonly column: number;
}

/**
 * The text being written, laid out by `layout-rules.ts`: `layout(draft, columns, rows)` of editing gives `rows`,
 * the caret and what there is above and below.
 */
export interface ComposerView {
  readonly rows: readonly string[];
  readonly caret: Caret;
  readonly hasMoreAbove: boolean;
  readonly hasMoreBelow: boolean;
  /** Shown while the text is empty. */
  readonly placeholder: string;
}

export interface CompletionView {
  /** All candidates, best first; the view shows those around the selected one. */
  readonly candidates: readonly { readonly label: string; readonly summary?: string }[];
  /** Index in `candidates`. */
  readonly selected: number;
}

/** Reverse search through the history; the match itself stands in the composer. */
export interface SearchView {
  readonly query: string;
  readonly found: boolean;
}

export interface FooterView {
  /** Title, or a short name of the conversation. */
  readonly conversation: string;
  /** Where the answers come from when it is not the service: `sandbox`. */
  readonly source?: string | undefined;
  readonly model: string;
  /** Tokens of the conversation as the next request would send it. */
  readonly contextUsed: number;
  readonly isEstimate: boolean;
  /** Tokens the model's window holds; undefined for a model natter does not know. */
  readonly contextWindow: number | undefined;
  /** The last answer's usage: `1,204 tokens in, 310 out`, marked where it is an estimate. */
  readonly usage?: string | undefined;
}

interface DialogFrame {
  readonly title: string;
  /** What the keys do, the dearest last: `Enter chooses`, `Esc uses the sandbox`. */
  readonly hints: readonly string[];
}

/** A question that stands in the composer's place. */
export type DialogView =
  /** One of several, as on the first run's screen. */
  | (DialogFrame & {
      readonly kind: 'choice';
      readonly options: readonly { readonly label: string }[];
      /** Index in `options`. */
      readonly selected: number;
    })
  /** One line to type: a URL, or a key, whose characters are asterisks by the time they get here. */
  | (DialogFrame & {
      readonly kind: 'entry';
      /** `API key`. */
      readonly label: string;
      readonly text: string;
      /** Columns of `text` to the left of the caret. */
      readonly caretColumn: number;
    });
