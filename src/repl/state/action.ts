import type { ModelWindows } from '../../conversation/context-fit.ts';
import type { AttachedFile } from '../../conversation/compose-prompt.ts';
import type { Conversation } from '../../conversation/tree.ts';
import type { ChatEvent } from '../../client/events.ts';
import type { FailureKind } from '../../failure.ts';
import type { FoundServer } from './dialog.ts';
import type { Candidate, CompletionRequest } from '../editing/completion.ts';
import type { KeyEvent } from '../editing/keys/key-event.ts';
import type { Effect } from './effect.ts';
import type { Entry } from './entry.ts';
import type { ServiceFacts } from './state.ts';

/** A failure as the transcript shows it. */
export interface FailureText {
  readonly kind: FailureKind;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** How an answer ended. `hasText`: something of it came. `isRecorded`: the prompt is part of the conversation. */
export type AnswerOutcome =
  | { readonly type: 'finished' }
  | { readonly type: 'stopped'; readonly hasText: boolean }
  /** It was not sent: the person is asked about it. */
  | { readonly type: 'questioned'; readonly doubt: string }
  | {
      readonly type: 'failed';
      readonly hasText: boolean;
      readonly failure: FailureText;
      readonly isRecorded?: boolean;
    };

/** Everything that can happen to the REPL. `now` is monotonic milliseconds. */
export type Action =
  | { readonly type: 'key-pressed'; readonly event: KeyEvent; readonly now: number }
  /** Line mode: a whole line, or the answer to a dialog. */
  | { readonly type: 'line-entered'; readonly text: string; readonly now: number }
  | { readonly type: 'interrupted'; readonly now: number }
  | { readonly type: 'input-ended' }
  | { readonly type: 'resized'; readonly columns: number; readonly rows: number }
  | { readonly type: 'ticked'; readonly now: number }
  | { readonly type: 'chat-event'; readonly event: ChatEvent; readonly now: number }
  | { readonly type: 'held-changed'; readonly text: string }
  | {
      readonly type: 'answer-ended';
      readonly outcome: AnswerOutcome;
      readonly conversation: Conversation;
      readonly now: number;
    }
  /** Turns were added, chosen or named; of another conversation when its id differs. */
  | { readonly type: 'conversation-changed'; readonly conversation: Conversation }
  /** A task is over; what it found is shown, or why it failed. */
  | {
      readonly type: 'task-ended';
      readonly entries: readonly Entry[];
      readonly now: number;
    }
  /** An effect threw, at once or later; `stopped` when the person stopped it. */
  | {
      readonly type: 'effect-failed';
      readonly effect: Effect;
      readonly failure: FailureText | 'stopped';
      readonly now: number;
    }
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
  /** Without a text the edit was cancelled. */
  | { readonly type: 'editor-closed'; readonly text: string | undefined }
  | {
      readonly type: 'service-connected';
      readonly service: ServiceFacts;
      readonly model?: string | undefined;
    }
  | { readonly type: 'connection-failed'; readonly failure: FailureText; readonly address: string }
  /** Something beside the conversation is told. */
  | { readonly type: 'remarked'; readonly text: string }
  | { readonly type: 'servers-found'; readonly servers: readonly FoundServer[] };
