import type { Conversation, Turn } from '../../src/conversation/tree.ts';
import type { Action, ReplState, Task, Step } from '../../src/repl/state.ts';
import { sendPrompt } from '../../src/repl/answers/send-prompt.ts';
import { selectVersion, undoPrompt } from '../../src/repl/answers/versions.ts';
import { scrollAway } from '../../src/repl/commands.ts';
import { makeSummary, removeSummary } from '../../src/repl/context/compaction.ts';
import { keyPress, type Modifiers } from '../../src/repl/composer/keys/key-event.ts';
import { contentOf } from '../../src/repl/composer/paste.ts';
import { connect, findServers } from '../../src/repl/connection.ts';
import { readConversations, readList } from '../../src/repl/conversation-list/list.ts';
import {
  newConversation,
  resume,
  setAttributes,
} from '../../src/repl/conversations/conversations.ts';
import type { Entry } from '../../src/repl/transcript/transcript.ts';
import { copyAnswer, saveAnswer, saveJournal, exportConversation } from '../../src/repl/export.ts';
import { attach } from '../../src/repl/files/attachments.ts';
import { initialState } from '../../src/repl/initial-state.ts';
import { stopActivity, suspend, editExternally } from '../../src/repl/keys.ts';
import { findCandidates } from '../../src/repl/menu.ts';
import { recognisePaths, pickFiles } from '../../src/repl/files/picking.ts';
import { openPrompt } from '../../src/repl/prompt-files/send-prompt-file.ts';
import { hurry, remember } from '../../src/repl/queue.ts';
import type { Session } from '../../src/repl/session.ts';
import { listModels, changeParameters, chooseRole, recordModel } from '../../src/repl/settings.ts';
import { runShellLine } from '../../src/repl/shell/shell-lines.ts';
import { redraw } from '../../src/repl/slash-command.ts';
import { print, printReport, leave } from '../../src/repl/step.ts';
import { updated, update } from '../../src/repl/update.ts';

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

/** The functions of tasks, by the names that tests give them. */
const taskFunctions = {
  print,
  report: printReport,
  send: sendPrompt,
  stop: stopActivity,
  'retry-now': hurry,
  quit: leave,
  suspend,
  redraw,
  'scroll-away': scrollAway,
  remember,
  'edit-externally': editExternally,
  'find-candidates': findCandidates,
  'list-models': listModels,
  attach,
  'recognise-paths': recognisePaths,
  'pick-files': pickFiles,
  'run-shell': runShellLine,
  copy: copyAnswer,
  save: saveAnswer,
  'save-journal': saveJournal,
  export: exportConversation,
  'select-version': selectVersion,
  undo: undoPrompt,
  'change-parameters': changeParameters,
  'choose-role': chooseRole,
  'open-prompt': openPrompt,
  compact: makeSummary,
  'remove-summary': removeSummary,
  'set-attributes': setAttributes,
  'record-model': recordModel,
  'new-conversation': newConversation,
  resume,
  'open-list': readConversations,
  'read-list': readList,
  connect,
  'find-servers': findServers,
};

export type TaskName = keyof typeof taskFunctions;

type InputOf<Name extends TaskName> = (typeof taskFunctions)[Name] extends (
  session: Session,
  input: infer Input,
  ...others: never
) => unknown
  ? Input
  : never;

/** A task as data: the name of its function with its input. */
export type Effect<Name extends TaskName = TaskName> = Name extends TaskName
  ? { readonly type: Name } & (unknown extends InputOf<Name>
      ? unknown
      : InputOf<Name> extends string | boolean
        ? { readonly input: InputOf<Name> }
        : InputOf<Name>)
  : never;

/** The name of the function of a task. */
export function taskName({ run: called }: Task): TaskName | undefined {
  const names = Object.keys(taskFunctions) as TaskName[];
  return names.find((name) => taskFunctions[name] === called);
}

/** The tasks of an update as data. */
export function effectsIn({ tasks }: Step): readonly Effect[] {
  return tasks.map((task) => {
    const fields = /string|boolean/.test(typeof task.input) ? { input: task.input } : task.input;
    return { type: taskName(task), ...(fields as object) } as Effect;
  });
}

/** A change of the state that a task makes. */
export type StateChange = (state: ReplState) => Step;

/** Applies the actions and changes in order, and collects their tasks. */
export function run(
  start: ReplState,
  ...actions: readonly (Action | StateChange)[]
): {
  readonly state: ReplState;
  readonly tasks: readonly Task[];
  readonly effects: readonly Effect[];
} {
  let state = start;
  const tasks: Task[] = [];
  for (const action of actions) {
    const step = typeof action === 'function' ? updated(state, action) : update(state, action);
    state = step.state;
    tasks.push(...step.tasks);
  }
  return { state, tasks, effects: effectsIn({ state, tasks }) };
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
    effect.type === 'print' || effect.type === 'report' ? effect.entries.flatMap(printedText) : [],
  );
}

/** The tasks with one name. */
export function effectsOf<Name extends TaskName>(
  effects: readonly Effect[],
  type: Name,
): readonly Effect<Name>[] {
  return effects.filter((effect): effect is Effect<Name> => effect.type === type);
}
