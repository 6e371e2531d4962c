import type { GlobalOptions, JsonOptions } from '../program/global-options.ts';

export interface ListConversationsOptions extends JsonOptions {
  readonly all?: boolean;
  readonly deleted?: boolean;
}

export interface ShowOptions extends JsonOptions {
  readonly siblings?: boolean;
}

export interface ExportOptions extends GlobalOptions {
  readonly output?: string;
  readonly format?: 'markdown' | 'json' | 'html';
  readonly siblings?: boolean;
  readonly force?: boolean;
}

export interface SearchOptions extends JsonOptions {
  readonly regexp?: boolean;
  readonly caseSensitive?: boolean;
  /** Lines, unparsed. */
  readonly context: string;
}
