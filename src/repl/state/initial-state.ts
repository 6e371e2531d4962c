import type { Conversation } from '../../conversation/tree.ts';
import type { Dialog } from './dialog.ts';
import { createHistory } from '../editing/history.ts';
import { createBuffer } from '../editing/text-buffer.ts';
import { contextUse, ratioOf } from './position.ts';
import type { ReplState, ServiceFacts } from './state.ts';
import type { SessionSettings } from './effect.ts';

export interface InitialFacts {
  readonly isLineMode?: boolean;
  readonly showsReasoning?: boolean;
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
    showsReasoning: facts.showsReasoning ?? false,
    columns,
    rows,
    composer: createBuffer(facts.draft),
    restoredText: undefined,
    unconfirmed: undefined,
    restoredFiles: [],
    history: createHistory(facts.history),
    search: undefined,
    completion: undefined,
    typeAhead: undefined,
    dialog: facts.dialog,
    activity: undefined,
    queue: [],
    isQueuePaused: false,
    attachments: [],
    conversation,
    branch: undefined,
    settings,
    service,
    context: contextUse(conversation, undefined, ratioOf({ service, settings })),
    hasOfferedModel: false,
    lastUsage: undefined,
    usage: { answers: 0, promptTokens: 0, completionTokens: 0, estimated: 0 },
    knownModels: [],
    isQuitArmed: false,
    isExitWordEntered: false,
    hasQuit: false,
    now,
  };
}
