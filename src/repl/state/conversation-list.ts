import type { LibraryEntry } from '../../conversation/library/library.ts';
import type { ListOptions } from './effect.ts';

/** A conversation in the list. Its texts are not sanitized. */
export interface ListedConversation {
  readonly entry: LibraryEntry;
  /** Empty for a conversation without a prompt. */
  readonly title: string;
  /** The start of the first prompt. */
  readonly firstWords: string;
  readonly model: string | undefined;
  readonly isOpenElsewhere: boolean;
  /** What the filter compares, in lower case. */
  readonly filtered: string;
}

/** The beginning of a prompt or an answer. */
export interface PreviewTurn {
  /** `You`, or the model. */
  readonly speaker: string;
  readonly text: string;
}

/** The list from which a conversation is opened. It is read as far as it is looked at. */
export interface ConversationList {
  readonly options: ListOptions;
  readonly openedAt: Date;
  /** All conversations, newest first. */
  readonly entries: readonly LibraryEntry[];
  /** Of the first entries, as far as they are read; undefined for one that is not readable. */
  readonly rows: readonly (ListedConversation | undefined)[];
  readonly query: string;
  /** The query is searched in the texts of the turns, too. */
  readonly searchesTexts: boolean;
  /** Around the first hit in each of the first entries, as far as they are searched. */
  readonly excerpts: readonly (string | undefined)[];
  /** Index among the matches. */
  readonly selected: number;
  /** The last match is selected, also while more of the list is read. */
  readonly followsLast?: boolean | undefined;
  readonly isReading: boolean;
  /** `turns` is undefined until they are read. */
  readonly preview:
    | { readonly id: string; readonly turns: readonly PreviewTurn[] | undefined }
    | undefined;
}

/** What was read for an open list; `entries` is that of the list it was read for. */
export type ListEvent = { readonly entries: readonly LibraryEntry[] } & (
  | { readonly type: 'rows-read'; readonly rows: ConversationList['rows'] }
  | {
      readonly type: 'texts-searched';
      readonly query: string;
      readonly from: number;
      readonly excerpts: ConversationList['excerpts'];
    }
  | {
      readonly type: 'preview-read';
      readonly id: string;
      readonly turns: readonly PreviewTurn[];
    }
);
