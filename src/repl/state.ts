import type { AttachedFile } from '../conversation/compose-prompt.ts';
import type { ModelWindows } from '../conversation/context-fit.ts';
import type { ListedConversation } from '../conversation/library/library.ts';
import type { ParameterChanges } from '../conversation/attributes.ts';
import type { Conversation } from '../conversation/tree.ts';
import type { WrapMode } from '../terminal/markdown/markdown-stream.ts';
import type { ThemeName } from '../terminal/style.ts';
import type { Candidate, CompletionRequest } from './composer/completion.ts';
import type { History } from './composer/history.ts';
import type { KeyMap } from './composer/keys/key-bindings.ts';
import type { KeyEvent } from './composer/keys/key-event.ts';
import type { Draft, TextBuffer } from './composer/text-buffer.ts';
import type { Vi } from './composer/vi/vi.ts';
import type { FailureKind } from '../failure.ts';
import type { OpenedPrompt } from './prompt-files/prompt-files.ts';
import type { Entry } from './transcript/transcript.ts';

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
  readonly times: 'off' | 'on';
}

export interface DialogChoice {
  readonly label: string;
  /** The dialog is still open in the state that it gets. */
  readonly choose: (state: ReplState) => Update;
}

/** A question in the composer's place. It gets every key until it is answered or cancelled. */
export type Dialog = {
  /** May have several lines. */
  readonly title: string;
  /** What Esc does. */
  readonly cancel: (state: ReplState) => Update;
  /** The same in words: `goes back`; absent for `cancels`. */
  readonly cancels?: string;
} & (
  | {
      readonly type: 'choice';
      readonly choices: readonly DialogChoice[];
      /** Index of the choice that is selected first; by default 0. */
      readonly selected?: number;
      /** Typed letters filter the choices, of which each has one row. */
      readonly filtersTyped?: boolean;
      /** Closes the dialog, because any other text is a prompt. */
      readonly takesPrompt?: (state: ReplState) => Update;
    }
  | {
      readonly type: 'entry';
      /** What is entered: `API key`. */
      readonly label: string;
      readonly text: string;
      readonly isHidden?: boolean;
      readonly takesLines?: boolean;
      readonly enter: (state: ReplState, text: string) => Update;
    }
);

/** How the list of conversations opens the chosen one. */
export interface ListOptions {
  /** It was opened at the start, so that the chosen conversation does not replace settings of the command line. */
  readonly isFirst?: boolean;
  readonly isBranch?: boolean;
}

/** A prompt file with its values. */
export interface PromptUse {
  readonly prompt: OpenedPrompt;
  readonly values: Readonly<Record<string, string>>;
  /** The text after the name and the values. */
  readonly text: string;
}

/** A new prompt, a recorded one that gets a new version of its answer, or a cut answer that gets the rest of its text. */
export type PromptToSend =
  | {
      readonly type: 'new';
      readonly content: string;
      /** The text as the transcript shows it, with long pastes as markers. */
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
  | { readonly type: 'repeat'; readonly turnId: string }
  | { readonly type: 'continue'; readonly turnId: string };

export type NewPrompt = Extract<PromptToSend, { readonly type: 'new' }>;

/**
 * A call that an update asks for, as data: so an update stays pure, and a test sees what it asks for. The session makes
 * the call after the update; `task` of `step.ts` checks its types.
 */
export interface Task {
  readonly run: (session: never, input: never, signal: never) => unknown;
  readonly input: unknown;
  /** It can be stopped, and ends with entries to print. */
  readonly isActivity?: boolean;
  /** What else changes if the call fails. */
  readonly recover?: ((state: ReplState) => ReplState) | undefined;
}

/** The new state, and the tasks to start, in order. */
export interface Update {
  readonly state: ReplState;
  readonly tasks: readonly Task[];
}

/** The open menu of completions for the text at the caret. */
export interface CompletionMenu {
  readonly request: CompletionRequest;
  /** Matching candidates, best first; never empty. */
  readonly candidates: readonly Candidate[];
  readonly selected: number;
  /** What opened it: typing a command, typing a mention, or Tab. */
  readonly source: 'commands' | 'files' | 'tab';
  /** A candidate was selected with a key. */
  readonly isTouched?: boolean;
  /** The file picker did not search all files. */
  readonly isPartial?: boolean;
}

/** An answer in progress. Times are monotonic milliseconds. */
export interface AnswerActivity {
  readonly type: 'answer';
  readonly phase: 'waiting' | 'retrying' | 'streaming';
  readonly model: string;
  readonly since: number;
  /** Time of the last event. */
  readonly lastAt: number;
  /** Estimated from the text so far; not rounded. */
  readonly tokens: number;
  /** The next retry, counted from 1, and its time. */
  readonly retry?: {
    readonly cause: string;
    readonly retry: number;
    readonly retries: number;
    readonly at: number;
  };
  /** The end of the text, whose Markdown is not decided yet; shown as a preview. */
  readonly undecided: string;
  readonly isStopping: boolean;
  /** Restored to the composer if there is no answer; undefined for a repeated prompt. */
  readonly draft: Draft | undefined;
  readonly files: readonly AttachedFile[];
  /** The branch before the prompt, restored if the prompt was not recorded. */
  readonly branch?: Branch | undefined;
  /** The id of the answer that `/compare` compares with. */
  readonly comparedWith?: string | undefined;
  /** `/continue` adds the text to the last answer. */
  readonly isContinuation?: boolean;
}

/** A command in progress, such as fetching a list or reading a file. */
interface TaskActivity {
  readonly type: 'task';
  /** Such as `listing models`. */
  readonly name: string;
  readonly task: Task;
  /** The unfinished line of a shell command's output; shown as a preview. */
  readonly undecided?: string;
  readonly since: number;
  readonly isStopping: boolean;
  /** The dialog that started the task; reopened when the task is stopped or fails. */
  readonly dialog: Dialog | undefined;
}

/** Keys received in order while the composer is unavailable: an editor is open, or completions or a list are read. */
interface TypeAhead {
  readonly keys: readonly KeyEvent[];
  /** The composer is available again, so the keys are pressed after this update. */
  readonly isOver?: boolean;
}

/** The place of the next prompt, if that does not follow the last turn. */
export interface Branch {
  readonly parent: string | undefined;
  /** Clearing the composer ends an `edit`; an `undo` stays. */
  readonly reason: 'edit' | 'undo';
}

/** Tokens of the conversation. `isEstimate` unless the service reported the count. */
export interface ContextUse {
  readonly tokens: number;
  readonly isEstimate: boolean;
}

export interface ServiceFacts {
  /** The base URL, or the name of the sandbox or recording. */
  readonly address: string;
  readonly isSandbox: boolean;
  readonly hasKey: boolean;
  readonly isReplay?: boolean;
  /** The windows that the service reported. */
  readonly windows?: ModelWindows;
}

/** What the transcript shows of reasoning: all, or one row about it, or nothing. */
export type ReasoningMode = 'show' | 'minimize' | 'hide';

export interface ReplState {
  readonly isLineMode: boolean;
  readonly reasoning: ReasoningMode;
  /** A notice said that reasoning at the start of an answer is not shown. */
  readonly hasExplainedThought: boolean;
  /** The terminal shows characters beyond ASCII. */
  readonly unicode: boolean;
  readonly columns: number;
  readonly rows: number;
  readonly composer: TextBuffer;
  /** The text of an unanswered or undone prompt in the composer; a slash typed right after it starts a command. */
  readonly restoredText: string | undefined;
  /** Monotonic milliseconds at which an unanswered prompt came back. */
  readonly restoredAt?: number;
  /** The content of a prompt that awaits confirmation; sending it unchanged confirms it. */
  readonly unconfirmed?: string | undefined;
  /** Placeholders are sent for the secrets in files, as the user chose. */
  readonly isRedacting?: boolean;
  /** Typed lines that start with `!` are commands for the shell. */
  readonly hasShell: boolean;
  /** The `!` at the start of the draft was pasted. */
  readonly isShellPasted?: boolean;
  /** The bindings, with the user's own keys; by default those of natter. */
  readonly keyMap?: KeyMap | undefined;
  /** Only with `editing=vi`. */
  readonly vi?: Vi | undefined;
  /** Stashed drafts, the last one at the end. */
  readonly stash?: readonly Draft[];
  readonly history: History;
  readonly isSearching: boolean;
  readonly completion?: CompletionMenu | undefined;
  /** The menu of commands was closed, and opens again with the next command. */
  readonly isMenuDismissed?: boolean;
  /** The draft after pasted paths became mentions. */
  readonly recognised?: string;
  /** The file picker follows the mention at the caret. */
  readonly isPicking?: boolean;
  /** Tab was pressed before the files of the mention were found. */
  readonly acceptsFound?: boolean;
  readonly typeAhead?: TypeAhead | undefined;
  readonly dialog?: Dialog | undefined;
  /** Replaces the composer while it is open. */
  readonly list?: OpenList | undefined;
  readonly activity?: AnswerActivity | TaskActivity | undefined;
  /** The side question of `/btw` in progress, beside an answer or alone. */
  readonly aside?:
    | {
        readonly since: number;
        readonly isStopping: boolean;
        /** Why it is sent again. */
        readonly cause?: string | undefined;
      }
    | undefined;
  /** Answered side questions, which are printed after the answer in progress. */
  readonly asides?: readonly Entry[];
  /** The host of the web page that is read before a prompt is sent. */
  readonly host?: string | undefined;
  /** Queued prompts and commands, next first. */
  readonly queue: readonly Draft[];
  /** A stop or a failure pauses the queue until the user continues it. */
  readonly isQueuePaused: boolean;
  /** Files of the next prompt. */
  readonly attachments: readonly AttachedFile[];
  /** Attachments that came back with a restored prompt; repeating the prompt sends them anyway. */
  readonly restoredFiles: readonly AttachedFile[];
  readonly conversation: Conversation;
  readonly branch?: Branch | undefined;
  readonly settings: SessionSettings;
  readonly service: ServiceFacts;
  readonly context: ContextUse;
  readonly hasOfferedModel: boolean;
  /** Whether summaries are made at 80% of the window; after one that failed only on request. */
  readonly compaction: { readonly isAutomatic: boolean; readonly hasFailed: boolean };
  /** The sums of this session; `estimated` answers have no usage from the service. */
  readonly usage: {
    readonly answers: number;
    readonly promptTokens: number;
    readonly cachedTokens: number;
    readonly completionTokens: number;
    readonly estimated: number;
  };
  /** Prompt files that `/name` sends, found when they were last listed. */
  readonly promptFiles: readonly {
    readonly name: string;
    /** One line; may be empty. */
    readonly summary: string;
  }[];
  /** Model ids listed by the service, for completion. */
  readonly knownModels: readonly string[];
  /** Shown below the composer until the next key. */
  readonly panel?: string | undefined;
  /**
   * The action that does more if its key is the next one: `interrupt` quits, `send` quits after `exit` or `:q`, and
   * `stop` lists the earlier prompts.
   */
  readonly armed?: 'interrupt' | 'send' | 'stop' | undefined;
  readonly hasQuit: boolean;
  /** Monotonic milliseconds of the last change. */
  readonly now: number;
}

/** A conversation in the list. Its texts are not sanitized. Without an answer, it has no model. */
export interface ListRow extends ListedConversation {
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

/** The list from which a conversation is opened. */
export interface OpenList {
  readonly options: ListOptions;
  /** Opens when the list is closed, or a conversation is chosen. */
  readonly dialog?: Dialog | undefined;
  readonly openedAt: Date;
  readonly rows: readonly ListRow[];
  readonly query: string;
  /** The query is searched in the texts of the turns, too. */
  readonly searchesTexts: boolean;
  /** Around the first hit in each of the first rows, as far as they are searched. */
  readonly excerpts: readonly (string | undefined)[];
  /** Index among the matches. */
  readonly selected: number;
  readonly isReading: boolean;
  /** The last turns of the conversation that was selected when they were read. */
  readonly preview: { readonly id: string; readonly turns: readonly PreviewTurn[] } | undefined;
}

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
