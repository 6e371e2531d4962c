import type { ChatEvent } from '../client/events.ts';
import type { Conversation } from '../conversation/tree.ts';
import type { FailureKind } from '../failure.ts';
import type { KeyEvent } from './composer/keys/key-event.ts';
import type { Entry } from './transcript/entry.ts';
import type { ListOptions, Task } from './state.ts';

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

/** What happens to a conversation from outside, and the ends of answers and tasks. `now` is monotonic milliseconds. */
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
  | {
      readonly type: 'answer-ended';
      readonly outcome: AnswerOutcome;
      readonly conversation: Conversation;
      readonly now: number;
    }
  /** Turns were added or selected, or the title was set; a different id means a different conversation. */
  | {
      readonly type: 'conversation-changed';
      readonly conversation: Conversation;
      /** Settings that those of a different conversation do not replace. */
      readonly settings?: ListOptions['settings'];
    }
  | { readonly type: 'task-ended'; readonly entries: readonly Entry[]; readonly now: number }
  /** A task threw or rejected; `stopped`: the user stopped it. */
  | {
      readonly type: 'task-failed';
      readonly task: Task;
      readonly failure: FailureText | 'stopped';
      readonly now: number;
    }
  | { readonly type: 'prompt-missing'; readonly name: string; readonly argument: string };
