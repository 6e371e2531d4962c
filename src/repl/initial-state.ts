import { createHistory } from './composer/history.ts';
import { createBuffer } from './composer/text-buffer.ts';
import { contextUse } from './conversations/position.ts';
import type { ReplState } from './state.ts';

/** An idle session in which nothing was typed yet, except what is given. */
export function initialState(
  facts: Pick<ReplState, 'columns' | 'conversation' | 'now' | 'rows' | 'service' | 'settings'> &
    Partial<ReplState>,
): ReplState {
  const { composer = createBuffer() } = facts;
  return {
    isLineMode: false,
    unicode: false,
    reasoning: 'hide',
    hasExplainedThought: false,
    composer,
    restoredText: composer.text || undefined,
    restoredFiles: [],
    hasShell: true,
    // How the draft of an earlier session was entered is not known.
    isShellPasted: composer.text.startsWith('!'),
    history: createHistory(),
    isSearching: false,
    typeAhead: undefined,
    dialog: undefined,
    queue: [],
    isQueuePaused: false,
    attachments: [],
    context: contextUse(facts),
    hasOfferedModel: false,
    compaction: { isAutomatic: false, hasFailed: false },
    usage: { answers: 0, promptTokens: 0, cachedTokens: 0, completionTokens: 0, estimated: 0 },
    promptFiles: [],
    knownModels: [],
    hasQuit: false,
    ...facts,
  };
}
