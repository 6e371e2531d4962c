import type { AttachedFile } from '../../conversation/compose-prompt.ts';
import type { CompletionRequest } from '../editing/completion.ts';
import type { Entry } from './entry.ts';
import type { ThemeName } from '../text/themes.ts';

/** What is asked for with every prompt; slash commands change it. */
export interface Choices {
  readonly model: string;
  readonly system: string | undefined;
  /** Tokens. */
  readonly maxTokens: number | undefined;
  readonly theme: ThemeName;
}

/** What is sent: a new prompt, or a turn that is answered once more. */
export type Question =
  | {
      readonly type: 'prompt';
      readonly content: string;
      /** As the transcript shows it: long pastes as their markers. */
      readonly shown: string;
      /** It waited, or nobody typed it: where lines are shown as typed, it does not stand there yet. */
      readonly isEarlier: boolean;
      readonly files: readonly AttachedFile[];
      /** Paths written as `@path`, to be attached where there is such a file. */
      readonly mentions: readonly string[];
      /** A mention that names no file is a word. */
      readonly isSure: boolean;
      /** The turn it follows; undefined opens the conversation. */
      readonly parent: string | undefined;
    }
  | { readonly type: 'again'; readonly turnId: string };

/** What the reducer asks the session to do. */
export type Effect =
  | {
      readonly type: 'print';
      readonly entries: readonly Entry[];
      /** The entries say why an effect failed: where not even they can be printed, the session ends. */
      readonly isReport?: boolean;
    }
  | {
      readonly type: 'ask';
      readonly question: Question;
      readonly choices: Choices;
      /** The model that the conversation goes on with, where the answer is one to compare. */
      readonly nextModel?: string;
    }
  /** Stops the answer or the task. */
  | { readonly type: 'stop' }
  | { readonly type: 'leave' }
  | { readonly type: 'suspend' }
  | { readonly type: 'redraw' }
  | { readonly type: 'scroll-away' }
  | { readonly type: 'remember'; readonly text: string }
  | { readonly type: 'keep-draft'; readonly text: string }
  | { readonly type: 'edit-externally'; readonly text: string }
  | { readonly type: 'find-candidates'; readonly request: CompletionRequest }
  | { readonly type: 'list-models' }
  | { readonly type: 'attach'; readonly path: string }
  /** An answer, or its code block of that number (from 1). */
  | { readonly type: 'copy'; readonly source: string; readonly block: number | undefined }
  | {
      readonly type: 'save';
      readonly path: string;
      readonly source: string;
      readonly block: number | undefined;
    }
  | { readonly type: 'save-journal' }
  | { readonly type: 'choose'; readonly turnId: string }
  /** Leaves a prompt and its answer out of the conversation. */
  | { readonly type: 'undo'; readonly turnId: string }
  | { readonly type: 'rename'; readonly title: string }
  | { readonly type: 'new-conversation' }
  | { readonly type: 'resume'; readonly name: string }
  | { readonly type: 'list-conversations'; readonly query: string }
  | { readonly type: 'set-theme'; readonly theme: ThemeName }
  /** A key of undefined: the service wants none. */
  | {
      readonly type: 'connect';
      readonly address: string;
      readonly key: string | undefined;
      readonly model?: string | undefined;
    }
  | { readonly type: 'find-servers' };
