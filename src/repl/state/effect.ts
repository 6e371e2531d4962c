import type { AttachedFile } from '../../conversation/compose-prompt.ts';
import type { CompletionRequest } from '../editing/completion.ts';
import type { Entry } from './entry.ts';
import type { ThemeName } from '../text/themes.ts';

/** The settings of the next prompts; slash commands change them. */
export interface SessionSettings {
  readonly model: string;
  readonly system: string | undefined;
  /** Tokens. */
  readonly maxTokens: number | undefined;
  readonly theme: ThemeName;
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
  /** Copies an answer, or its code block with that number (from 1). */
  | { readonly type: 'copy'; readonly source: string; readonly block: number | undefined }
  | {
      readonly type: 'save';
      readonly path: string;
      readonly source: string;
      readonly block: number | undefined;
    }
  | { readonly type: 'save-journal' }
  | { readonly type: 'select-version'; readonly turnId: string }
  /** Removes a prompt and its answer from the conversation. */
  | { readonly type: 'undo'; readonly turnId: string }
  | { readonly type: 'rename'; readonly title: string }
  | { readonly type: 'record-model'; readonly model: string }
  | { readonly type: 'new-conversation' }
  | { readonly type: 'resume'; readonly name: string }
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
