import type { AttachedFile } from '../../conversation/compose-prompt.ts';
import type { ParameterChanges } from '../../conversation/tree.ts';
import type { CompletionRequest } from '../composer/completion.ts';
import type { LibraryEntry } from '../../conversation/library/library.ts';
import type { Entry } from './entry.ts';
import type { WrapMode } from '../../terminal/markdown/markdown-stream.ts';
import type { PromptUse } from './prompt-command.ts';
import type { ThemeName } from '../../terminal/style.ts';

/** The settings of the next prompts; slash commands change them. */
export interface SessionSettings {
  readonly model: string;
  readonly system: string | undefined;
  /** Tokens. */
  readonly maxTokens: number | undefined;
  readonly parameters?: ParameterChanges | undefined;
  /** Where `system` is from, if that is a role. */
  readonly role?: string | undefined;
  readonly theme: ThemeName;
  readonly wrap: WrapMode;
}

/** Settings that a conversation does not change when it is opened. */
interface KeptSettings extends Partial<Pick<SessionSettings, 'model' | 'system' | 'role'>> {
  /** Names of parameters. */
  readonly parameters?: readonly string[];
}

/** How the list of conversations opens the chosen one. */
export interface ListOptions {
  /** Settings of the command line, which those of the chosen conversation do not replace. */
  readonly settings?: KeptSettings;
  /** A copy of the chosen conversation is opened. */
  readonly isBranch?: boolean;
}

/** A new prompt, or a recorded one that gets a new version of its answer. */
export type PromptToSend =
  | {
      readonly type: 'new';
      readonly content: string;
      /** As shown in the transcript, with long pastes as markers. */
      readonly shown: string;
      /** The prompt was queued or generated, so the line-mode screen does not show it yet. */
      readonly needsEcho: boolean;
      readonly files: readonly AttachedFile[];
      /** Paths written as `@path`; existing files are attached. */
      readonly mentions: readonly string[];
      /** Confirmed: mentions of missing files are plain words. */
      readonly isConfirmed: boolean;
      /** Placeholders are sent for the secrets in files. */
      readonly isRedacted: boolean;
      /** The preceding turn; undefined at the start of the conversation. */
      readonly parent: string | undefined;
      /** The prompt file whose text is sent instead of `content`, the command. */
      readonly use?: PromptUse;
    }
  | { readonly type: 'repeat'; readonly turnId: string };

export type Effect =
  | {
      readonly type: 'print';
      readonly entries: readonly Entry[];
      /** The entries report a failed effect: if printing them fails too, the session ends. */
      readonly isReport?: boolean;
    }
  | {
      readonly type: 'send';
      readonly prompt: PromptToSend;
      readonly settings: SessionSettings;
      /** For `/compare`: the model of the next prompts, which differs from the one in `settings`. */
      readonly nextModel?: string;
    }
  | { readonly type: 'stop' }
  /** Ends the wait before a retry. */
  | { readonly type: 'retry-now' }
  | { readonly type: 'quit' }
  | { readonly type: 'suspend' }
  | { readonly type: 'redraw' }
  | { readonly type: 'scroll-away' }
  | { readonly type: 'remember'; readonly text: string }
  | { readonly type: 'keep-draft'; readonly text: string }
  | { readonly type: 'edit-externally'; readonly text: string }
  | { readonly type: 'find-candidates'; readonly request: CompletionRequest }
  | { readonly type: 'list-models' }
  | { readonly type: 'attach'; readonly path: string }
  /** Checks a paste; `inserted` is its part of the draft, from the offset `from`. */
  | {
      readonly type: 'recognise-paths';
      readonly from: number;
      readonly inserted: string;
      readonly text: string;
    }
  | { readonly type: 'pick-files'; readonly request: CompletionRequest }
  | { readonly type: 'run-shell'; readonly command: string; readonly isAttached: boolean }
  /** Copies an answer, or its code block with that number (from 1). */
  | { readonly type: 'copy'; readonly source: string; readonly block: number | undefined }
  | {
      readonly type: 'save';
      readonly path: string;
      readonly source: string;
      readonly block: number | undefined;
    }
  /** `argument`: a file or a format; may be empty. */
  | { readonly type: 'export'; readonly argument: string; readonly replaces?: boolean }
  | { readonly type: 'save-journal' }
  | { readonly type: 'select-version'; readonly turnId: string }
  /** Removes a prompt and its answer from the conversation. */
  | { readonly type: 'undo'; readonly turnId: string }
  /** Asks for a summary of the older turns. */
  | {
      readonly type: 'compact';
      /** What to keep; may be empty. */
      readonly wanted: string;
      readonly settings: SessionSettings;
    }
  | { readonly type: 'remove-summary'; readonly turnId: string }
  | { readonly type: 'show-context'; readonly shows: 'window' | 'summary' }
  /** `name=value`, `name`, `name off`, `off`, or empty to list them. */
  | { readonly type: 'change-parameters'; readonly text: string }
  /** `name`, or empty to list the roles. */
  | { readonly type: 'choose-role'; readonly name: string }
  /** Looks for a prompt file. */
  | { readonly type: 'open-prompt'; readonly name: string; readonly argument: string }
  | { readonly type: 'rename'; readonly title: string }
  | { readonly type: 'record-model'; readonly model: string }
  | { readonly type: 'new-conversation' }
  | ({ readonly type: 'resume'; readonly name: string } & ListOptions)
  /** `query` filters the list. */
  | { readonly type: 'open-list'; readonly options: ListOptions; readonly query?: string }
  /** Reads more entries of the list, from one of them on. */
  | {
      readonly type: 'read-list';
      readonly entries: readonly LibraryEntry[];
      readonly from: number;
    }
  | {
      readonly type: 'search-list';
      readonly entries: readonly LibraryEntry[];
      readonly from: number;
      readonly query: string;
    }
  | {
      readonly type: 'preview-conversation';
      readonly entries: readonly LibraryEntry[];
      readonly entry: LibraryEntry;
    }
  | { readonly type: 'list-conversations'; readonly query: string }
  | { readonly type: 'set-theme'; readonly theme: ThemeName }
  /** `key` is undefined for a service that needs none. */
  | {
      readonly type: 'connect';
      readonly address: string;
      readonly key: string | undefined;
      readonly model?: string | undefined;
    }
  | { readonly type: 'find-servers' };
