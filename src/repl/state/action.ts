import type { ModelWindows } from '../../conversation/context-fit.ts';
import type { AttachedFile } from '../../conversation/compose-prompt.ts';
import type { Conversation, ParameterChanges } from '../../conversation/tree.ts';
import type { ChatEvent } from '../../client/events.ts';
import type { FailureKind } from '../../failure.ts';
import type { Dialog, FoundServer } from './dialog.ts';
import type { Candidate, CompletionRequest } from '../composer/completion.ts';
import type { KeyEvent } from '../composer/keys/key-event.ts';
import type { ListEvent } from './conversation-list.ts';
import type { Effect, ListOptions } from './effect.ts';
import type { Entry } from './entry.ts';
import type { OpenedPrompt, PromptCommand, PromptUse } from './prompt-command.ts';
import type { AnswerUsage, OpenList, ServiceFacts } from './state.ts';

/** A failure as shown in the transcript. */
export interface FailureText {
  readonly kind: FailureKind;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** `hasText`: some text was received. `isRecorded`: the prompt is part of the conversation. */
export type AnswerOutcome =
  | { readonly type: 'finished' }
  | { readonly type: 'stopped'; readonly hasText: boolean }
  /** The prompt was not sent: it needs confirmation first. */
  | { readonly type: 'unconfirmed'; readonly problem: string; readonly hasSecrets: boolean }
  | {
      readonly type: 'failed';
      readonly hasText: boolean;
      readonly failure: FailureText;
      readonly isRecorded?: boolean;
    };

/** Every input of the reducer. `now` is monotonic milliseconds. */
export type Action =
  | { readonly type: 'key-pressed'; readonly event: KeyEvent; readonly now: number }
  /** Line mode: a line, which is a prompt, a command or the answer to a dialog. */
  | { readonly type: 'line-entered'; readonly text: string; readonly now: number }
  | { readonly type: 'interrupted'; readonly now: number }
  | { readonly type: 'input-ended' }
  | { readonly type: 'resized'; readonly columns: number; readonly rows: number }
  | { readonly type: 'ticked'; readonly now: number }
  | { readonly type: 'chat-event'; readonly event: ChatEvent; readonly now: number }
  | { readonly type: 'undecided-changed'; readonly text: string }
  /** A web page is read for a prompt; undefined: no more. */
  | { readonly type: 'page-awaited'; readonly host: string | undefined }
  | {
      readonly type: 'answer-ended';
      readonly outcome: AnswerOutcome;
      readonly conversation: Conversation;
      readonly now: number;
    }
  | {
      readonly type: 'compaction-ended';
      /** `refused` if there was nothing to summarize. */
      readonly result: 'compacted' | 'failed' | 'refused';
      readonly entries: readonly Entry[];
      readonly conversation: Conversation;
      /** Of the request for the summary; undefined if it was not answered. */
      readonly usage: Pick<AnswerUsage, 'promptTokens' | 'completionTokens'> | undefined;
      readonly now: number;
    }
  /** Turns were added or selected, or the title was set; a different id means a different conversation. */
  | {
      readonly type: 'conversation-changed';
      readonly conversation: Conversation;
      /** Settings that those of a different conversation do not replace. */
      readonly settings?: ListOptions['settings'];
    }
  | { readonly type: 'dialog-opened'; readonly dialog: Dialog }
  /** The list of conversations, asked for on the command line. */
  /** `query` filters the list. */
  | {
      readonly type: 'list-requested';
      readonly options: ListOptions;
      readonly query: string;
      /** Waits until the list is closed. */
      readonly dialog: Dialog | undefined;
      readonly now: number;
    }
  | { readonly type: 'list-opened'; readonly list: OpenList }
  | { readonly type: 'list-changed'; readonly event: ListEvent }
  | { readonly type: 'task-ended'; readonly entries: readonly Entry[]; readonly now: number }
  /** An effect threw or rejected; `stopped`: the user stopped it. */
  | {
      readonly type: 'effect-failed';
      readonly effect: Effect;
      readonly failure: FailureText | 'stopped';
      readonly now: number;
    }
  | { readonly type: 'parameters-changed'; readonly parameters: ParameterChanges }
  | { readonly type: 'role-chosen'; readonly role: string; readonly system: string }
  | { readonly type: 'prompts-listed'; readonly promptFiles: readonly PromptCommand[] }
  /** With the values that were typed. */
  | {
      readonly type: 'prompt-opened';
      readonly prompt: OpenedPrompt;
      readonly typed: Pick<PromptUse, 'values' | 'text'>;
    }
  | { readonly type: 'prompt-missing'; readonly name: string }
  | { readonly type: 'file-attached'; readonly file: AttachedFile }
  | {
      readonly type: 'models-listed';
      readonly ids: readonly string[];
      readonly windows: ModelWindows;
    }
  | {
      readonly type: 'candidates-found';
      readonly request: CompletionRequest;
      readonly candidates: readonly Candidate[];
    }
  /** A paste is the paths of files. */
  | {
      readonly type: 'paths-recognised';
      readonly from: number;
      readonly inserted: string;
      readonly mentions: string;
    }
  /** `isPartial`: not all files were searched. */
  | {
      readonly type: 'files-picked';
      readonly request: CompletionRequest;
      readonly candidates: readonly Candidate[];
      readonly isPartial: boolean;
    }
  /** `text` is undefined when the edit was cancelled. */
  | { readonly type: 'editor-closed'; readonly text: string | undefined }
  | {
      readonly type: 'service-connected';
      readonly service: ServiceFacts;
      readonly model?: string | undefined;
    }
  | {
      readonly type: 'connection-failed';
      readonly failure: FailureText;
      readonly address: string;
      /** Whether the request carried a key. */
      readonly hasKey: boolean;
    }
  /** From outside the conversation, such as a failed write to disk. */
  | { readonly type: 'notice-received'; readonly text: string }
  | { readonly type: 'servers-found'; readonly servers: readonly FoundServer[] };
