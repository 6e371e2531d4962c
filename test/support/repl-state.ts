import type { Conversation, Turn } from '../../src/conversation/tree.ts';
import type { Action } from '../../src/repl/state/action.ts';
import type { Effect } from '../../src/repl/state/effect.ts';
import type { Entry } from '../../src/repl/state/entry.ts';
import { keyPress, type Modifiers } from '../../src/repl/composer/keys/key-event.ts';
import { contentOf } from '../../src/repl/composer/paste.ts';
import { initialState } from '../../src/repl/state/initial-state.ts';
import { reduce } from '../../src/repl/reducer/reduce.ts';
import type { ReplState } from '../../src/repl/state/state.ts';

const createdAt = new Date('2026-11-20T12:00:00Z');

type TurnFacts = Pick<Turn, 'role' | 'content'> & Partial<Turn>;

/** A conversation of consecutive turns; their ids are `t1`, `t2`… unless given. */
export function conversationOf(...facts: readonly TurnFacts[]): Conversation {
  const turns = new Map<string, Turn>();
  const selection = new Map<string | undefined, string>();
  let parent: string | undefined;
  for (const [index, fact] of facts.entries()) {
    const turn: Turn = { id: `t${index + 1}`, parent, createdAt, ...fact };
    turns.set(turn.id, turn);
    selection.set(turn.parent, turn.id);
    parent = turn.id;
  }
  return { id: 'c1', createdAt, turns, selection };
}

/** An idle session, with changes. */
export function stateOf(changes: Partial<ReplState> = {}): ReplState {
  const state = initialState({
    columns: 80,
    rows: 24,
    conversation: conversationOf(),
    settings: {
      model: 'origin',
      system: undefined,
      maxTokens: undefined,
      theme: 'color',
      wrap: 'words',
    },
    service: { address: 'https://api.example.com', isSandbox: false, hasKey: true },
    now: 0,
  });
  return { ...state, ...changes };
}

/** Applies the actions in order, and collects their effects. */
export function run(
  start: ReplState,
  ...actions: readonly Action[]
): { readonly state: ReplState; readonly effects: readonly Effect[] } {
  let state = start;
  const effects: Effect[] = [];
  for (const action of actions) {
    const step = reduce(state, action);
    state = step.state;
    effects.push(...step.effects);
  }
  return { state, effects };
}

export function typed(text: string): Action {
  return { type: 'key-pressed', event: { type: 'text', text }, now: 0 };
}

export function pasted(text: string): Action {
  return { type: 'key-pressed', event: { type: 'paste', text }, now: 0 };
}

export function pressed(name: string, modifiers: Modifiers = {}): Action {
  return { type: 'key-pressed', event: keyPress(name, modifiers), now: 0 };
}

export const enter = pressed('enter');
export const escape = pressed('escape');
export const interrupt = pressed('c', { ctrl: true });

export const composed = (state: ReplState) => contentOf(state.composer);

function printedText(entry: Entry): readonly string[] {
  switch (entry.type) {
    case 'command':
    case 'closing':
    case 'welcome':
      return [];
    case 'failure':
      return [entry.message];
    case 'prompt':
    case 'answer':
    case 'output':
    case 'notice':
    default:
      return [entry.text];
  }
}

/** The texts that are printed, without commands and closing rows. */
export function printed(effects: readonly Effect[]): readonly string[] {
  return effects.flatMap((effect) =>
    effect.type === 'print' ? effect.entries.flatMap(printedText) : [],
  );
}

/** The effects of one type. */
export function effectsOf<Type extends Effect['type']>(
  effects: readonly Effect[],
  type: Type,
): readonly Extract<Effect, { readonly type: Type }>[] {
  return effects.filter(
    (effect): effect is Extract<Effect, { readonly type: Type }> => effect.type === type,
  );
}
