import type { Conversation, Turn } from '../../src/conversation/tree.ts';
import type { ChatEvent } from '../../src/client/events.ts';
import type { AnswerOutcome, FailureText, ReplState, Task, Update } from '../../src/repl/state.ts';
import { onAnswerEnded } from '../../src/repl/answers/answering.ts';
import { onChatEvent, sendPrompt } from '../../src/repl/answers/send-prompt.ts';
import { type KeyEvent, keyPress, type Modifiers } from '../../src/repl/composer/keys/key-event.ts';
import { contentOf } from '../../src/repl/composer/paste.ts';
import { withConversation } from '../../src/repl/conversations/position.ts';
import type { Entry } from '../../src/repl/transcript/transcript.ts';
import { initialState } from '../../src/repl/run.ts';
import { interruptLine, onKey } from '../../src/repl/keys.ts';
import type { OpenedPrompt } from '../../src/repl/prompt-files/prompt-files.ts';
import type { Session } from '../../src/repl/session.ts';
import { andThen, newAnswer, print, printReport, step } from '../../src/repl/step.ts';
import { enterLine, onTaskEnded, onTaskFailed, updated } from '../../src/repl/update.ts';

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

/** The prompt file `review`. */
export const reviewPrompt: OpenedPrompt = {
  name: 'review',
  variables: [
    { name: 'lang', description: 'language', choices: ['ts', 'js'], default: 'ts' },
    { name: 'focus' },
  ],
  model: undefined,
  neededText: undefined,
  fill: async (values, text) => ({
    content: `review ${values['lang'] ?? 'ts'} for ${values['focus']}: ${text}`,
    settings: { system: 'be careful', parameters: { set: {}, removed: [] } },
    notices: [],
    check: undefined,
  }),
};

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
      times: 'off',
    },
    service: { address: 'https://api.example.com', isSandbox: false, hasKey: true },
    now: 0,
  });
  return { ...state, ...changes };
}

/** An answer that began at 0, without any text yet. */
export const waitingAnswer = newAnswer(stateOf(), 'origin');

/** A task as data: the name of its function with its input. */
export type Effect = Readonly<Record<string, unknown>> & { readonly type: string };

/** The tasks of an update as data. */
export function effectsIn({ tasks }: Update): readonly Effect[] {
  return tasks.map(({ run: called, input }) => {
    const fields = /string|boolean/.test(typeof input) ? { input } : input;
    return { type: called.name, ...(fields as object) };
  });
}

type EffectOf<Input> = Input extends string | boolean ? { readonly input: Input } : Input;

/** The tasks that call a function. */
export const effectsOf = <Input>(
  effects: readonly Effect[],
  called: (session: Session, input: Input, signal: never) => unknown,
): readonly EffectOf<Input>[] =>
  effects.filter(({ type }) => type === called.name) as unknown as EffectOf<Input>[];

/** A change of the state. */
export type StateChange = (state: ReplState) => Update;

/** Applies the changes in order, and collects their tasks. */
export function run(
  start: ReplState,
  ...changes: readonly StateChange[]
): {
  readonly state: ReplState;
  readonly tasks: readonly Task[];
  readonly effects: readonly Effect[];
} {
  let state = start;
  const tasks: Task[] = [];
  for (const change of changes) {
    const next = updated(state, change);
    state = next.state;
    tasks.push(...next.tasks);
  }
  return { state, tasks, effects: effectsIn({ state, tasks }) };
}

const at =
  (now: number, change: StateChange): StateChange =>
  (state) =>
    change({ ...state, now });

/** The change of a key, with the key. */
export type KeyChange = StateChange & { readonly event: KeyEvent };

export function keyPressed(event: KeyEvent): KeyChange {
  return Object.assign(
    at(0, (state) => onKey(state, event)),
    { event },
  );
}

export const typed = (text: string): KeyChange => keyPressed({ type: 'text', text });

export const pasted = (text: string): KeyChange => keyPressed({ type: 'paste', text });

export const pressed = (name: string, modifiers: Modifiers = {}): KeyChange =>
  keyPressed(keyPress(name, modifiers));

export const lineEntered = (text: string, now = 0): StateChange =>
  at(now, (state) => enterLine(state, text));

export const lineInterrupted: StateChange = at(0, interruptLine);

export const chatEvent = (event: ChatEvent, now = 0): StateChange =>
  at(now, (state) => onChatEvent(state, event));

export const answerEnded = (
  outcome: AnswerOutcome,
  conversation: Conversation,
  now = 0,
): StateChange => at(now, (state) => onAnswerEnded(withConversation(state, conversation), outcome));

/** The activity ends without entries. */
export const taskEnded: StateChange = (state) =>
  state.activity?.type === 'task' ? onTaskEnded(state, state.activity.task, []) : step(state);

/** What a task changes in a session that has these parts. */
export async function changeOf<Input>(
  called: (session: Session, input: Input, signal: AbortSignal) => unknown,
  input: Input,
  parts: object,
): Promise<StateChange> {
  const changes: StateChange[] = [];
  const update = (change: StateChange) => void changes.push(change);
  const session = { ...parts, update } as Session;
  await called(session, input, new AbortController().signal);
  return (state) => andThen(step(state), ...changes);
}

export const taskFailed =
  (task: Task, failure: FailureText): StateChange =>
  (state) =>
    onTaskFailed(state, task, failure);

export const enter = pressed('enter');
export const escape = pressed('escape');
export const interrupt = pressed('c', { ctrl: true });

export const composed = (state: ReplState) => contentOf(state.composer);

function printedText(entry: Entry): readonly string[] {
  if (entry.type === 'command' || entry.type === 'closing') return [];
  if (entry.type === 'failure') return [entry.message];
  return entry.type === 'aside' ? [entry.question, entry.text] : [entry.text];
}

/** The texts that are printed, without commands and closing rows. */
export function printed(effects: readonly Effect[]): readonly string[] {
  return effects
    .filter(({ type }) => type === print.name || type === printReport.name)
    .flatMap(({ entries }) => (entries as readonly Entry[]).flatMap(printedText));
}

/** Applies keys and other changes in order, a text as typed, and gathers what tests ask for. */
export function play(start: ReplState, ...keys: readonly (string | StateChange)[]) {
  const { state, effects } = run(
    start,
    ...keys.map((key) => (typeof key === 'string' ? typed(key) : key)),
  );
  const sent = effectsOf(effects, sendPrompt).map(({ prompt }) =>
    'content' in prompt ? prompt.content : prompt,
  );
  return { state, effects, text: composed(state), printed: printed(effects), sent };
}
