import type { AttachedFile } from '../../conversation/compose-prompt.ts';
import type { ModelWindows } from '../../conversation/context-fit.ts';
import type { Conversation } from '../../conversation/tree.ts';
import type { Candidate, CompletionRequest } from '../editing/completion.ts';
import type { HistorySearch } from '../editing/history-search.ts';
import type { History } from '../editing/history.ts';
import type { KeyEvent } from '../editing/keys/key-event.ts';
import type { Draft, TextBuffer } from '../editing/text-buffer.ts';
import type { Dialog } from './dialog.ts';
import type { Choices, Effect } from './effect.ts';

/** A retry that is waited for. */
interface Retry {
  readonly cause: string;
  /** From 1. */
  readonly retry: number;
  readonly retries: number;
  /** When it is made, by the monotonic clock. */
  readonly at: number;
}

/** Proposals for what stands at the caret. */
export interface CompletionMenu {
  readonly request: CompletionRequest;
  /** Those that fit, best first; never none. */
  readonly candidates: readonly Candidate[];
  readonly selected: number;
}

/** An answer that is asked for. Times are of the monotonic clock, milliseconds. */
export interface AnswerActivity {
  readonly type: 'answer';
  readonly phase: 'waiting' | 'retrying' | 'streaming';
  readonly model: string;
  readonly since: number;
  /** When something of it came last. */
  readonly lastAt: number;
  /** Estimated from the text so far. */
  readonly tokens: number;
  readonly retry?: Retry;
  /** The end of the answer whose look is not decided yet; shown, but not finished text. */
  readonly held: string;
  readonly isStopping: boolean;
  /** What was typed, to be given back when it fails; undefined for a retry. */
  readonly prompt: Draft | undefined;
  /** What was attached to it. */
  readonly files: readonly AttachedFile[];
  /** Where it was to go, in force again when it is no part of the conversation. */
  readonly branch?: Branch | undefined;
  /** The answer of another model that it is compared with. */
  readonly comparedWith?: string | undefined;
}

/** A command that takes time: a list that is fetched, a file that is read. */
interface TaskActivity {
  readonly type: 'task';
  /** As in `listing models`. */
  readonly name: string;
  /** What does it. */
  readonly effect: Effect;
  readonly since: number;
  readonly isStopping: boolean;
  /** The question whose answer it carries out: stopped or failed, it is asked again. */
  readonly dialog: Dialog | undefined;
}

type Activity = AnswerActivity | TaskActivity;

/** Keys that wait, in order: what they act on is not there yet. */
export interface TypeAhead {
  /** `proposals`: of a Tab. `editor`: the person's own, which has the terminal. */
  readonly until: 'proposals' | 'editor';
  readonly keys: readonly KeyEvent[];
}

/** Where the next prompt goes, when it is not below the last turn. */
export interface Branch {
  readonly parent: string | undefined;
  /** `edit` is given up by clearing the composer; `undo` stays. */
  readonly reason: 'edit' | 'undo';
}

/** What a session has used so far. */
interface SessionUsage {
  readonly answers: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Answers whose service reported no usage, so their tokens are estimates. */
  readonly estimated: number;
}

/** How full the model's window is; `isEstimate` unless the service counted. */
export interface ContextUse {
  readonly tokens: number;
  readonly isEstimate: boolean;
}

/** The last answer's usage, tokens. */
export interface AnswerUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly isEstimate: boolean;
}

/** Who answers. */
export interface ServiceFacts {
  /** Of the service; or the sandbox, or the recording that answers. */
  readonly address: string;
  readonly isSandbox: boolean;
  readonly isReplay?: boolean;
  /** Windows of its models, as far as it has said them. */
  readonly windows?: ModelWindows;
}

/** Everything the REPL knows. Changed by the reducer only. */
export interface ReplState {
  /** Lines instead of a composer: the terminal does the editing. */
  readonly isLineMode: boolean;
  /** What the model reasons is shown, where the service sends it. */
  readonly showsReasoning: boolean;
  readonly columns: number;
  readonly rows: number;
  readonly composer: TextBuffer;
  /** The text of a prompt that came back unanswered or undone: a slash typed right after it begins a command. */
  readonly givenBack: string | undefined;
  /** What a prompt says that came back with a question; sent as it is, it is not asked about again. */
  readonly questioned: string | undefined;
  readonly history: History;
  readonly search: HistorySearch | undefined;
  readonly completion: CompletionMenu | undefined;
  readonly typeAhead: TypeAhead | undefined;
  readonly dialog: Dialog | undefined;
  readonly activity: Activity | undefined;
  /** Prompts and commands that wait for their turn, next first. */
  readonly queue: readonly Draft[];
  /** After a stop or a failure the queue waits for the person. */
  readonly isQueuePaused: boolean;
  /** Files that go along with the next prompt. */
  readonly attachments: readonly AttachedFile[];
  /** Those of them that came back with a prompt: an answer asked for again has them already. */
  readonly returnedFiles: readonly AttachedFile[];
  readonly conversation: Conversation;
  readonly branch: Branch | undefined;
  readonly choices: Choices;
  readonly service: ServiceFacts;
  readonly context: ContextUse;
  /** The larger model was offered for this conversation already. */
  readonly hasOfferedModel: boolean;
  readonly lastUsage: AnswerUsage | undefined;
  readonly usage: SessionUsage;
  /** Model ids that the service listed, for completion. */
  readonly knownModels: readonly string[];
  /** Ctrl-C was pressed on an empty composer: once more leaves. */
  readonly isLeaveArmed: boolean;
  /** A word that ends other programs was entered: once more leaves. */
  readonly isExitAsked: boolean;
  readonly hasLeft: boolean;
  /** Monotonic milliseconds at the last action that told the time. */
  readonly now: number;
}
