import type { Conversation } from '../conversation/tree.ts';
import { createHistory } from './composer/history.ts';
import { createBuffer } from './composer/text-buffer.ts';
import { contextUse } from './conversations/position.ts';
import type { Dialog, SessionSettings, ServiceFacts, ReplState } from './state.ts';

export interface InitialFacts {
  readonly isLineMode?: boolean;
  /** Default false. */
  readonly unicode?: boolean;
  readonly showsReasoning?: boolean;
  /** The setting `compact`. */
  readonly compactsAutomatically?: boolean;
  /** Default true. */
  readonly hasShell?: boolean;
  readonly columns: number;
  readonly rows: number;
  readonly conversation: Conversation;
  readonly settings: SessionSettings;
  readonly service: ServiceFacts;
  /** Prompts of earlier sessions, oldest first. */
  readonly history?: readonly string[];
  readonly draft?: string;
  readonly dialog?: Dialog | undefined;
  readonly now: number;
}

export function initialState(facts: InitialFacts): ReplState {
  const { columns, rows, conversation, settings, service, now } = facts;
  return {
    isLineMode: facts.isLineMode ?? false,
    unicode: facts.unicode ?? false,
    showsReasoning: facts.showsReasoning ?? false,
    hasExplainedThought: false,
    columns,
    rows,
    composer: createBuffer(facts.draft),
    restoredText: facts.draft || undefined,
    unconfirmed: undefined,
    restoredFiles: [],
    hasShell: facts.hasShell ?? true,
    // How the draft of an earlier session was entered is not known.
    isShellPasted: facts.draft?.startsWith('!') ?? false,
    history: createHistory(facts.history),
    isSearching: false,
    completion: undefined,
    typeAhead: undefined,
    dialog: facts.dialog,
    list: undefined,
    activity: undefined,
    queue: [],
    isQueuePaused: false,
    attachments: [],
    conversation,
    branch: undefined,
    settings,
    service,
    context: contextUse(conversation, undefined),
    hasOfferedModel: false,
    compaction: { isAutomatic: facts.compactsAutomatically ?? false, hasFailed: false },
    usage: { answers: 0, promptTokens: 0, completionTokens: 0, estimated: 0 },
    promptFiles: [],
    knownModels: [],
    isQuitArmed: false,
    isExitWordEntered: false,
    hasQuit: false,
    now,
  };
}
