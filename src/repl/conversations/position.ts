import { contextFit } from '../../conversation/context-fit.ts';
import { estimateMessages } from '../../conversation/token-estimate.ts';
import {
  endingWith,
  messagesOf,
  pathOf,
  summaryOf,
  textOf,
  type Conversation,
  type Turn,
  modelOf,
  systemOf,
} from '../../conversation/tree.ts';
import type { Attributes } from '../../conversation/attributes.ts';
import { type PromptTime, promptTime } from '../../conversation/prompt-time.ts';
import type { Session } from '../session.ts';
import type { Branch, ContextUse, ReplState } from '../state.ts';
import { step } from '../step.ts';
import { answerTokens, countOf, durationText, seconds, tokenText } from '../../output/figures.ts';
import { notice, type Closing, type Entry } from '../transcript/transcript.ts';

/** A conversation, and the place of the next prompt in it. */
type Place = Pick<ReplState, 'conversation' | 'branch'>;

/** The turns before the next prompt; undone ones are not part of it. */
export const currentPath = (place: Place): readonly Turn[] => pathOf(conversationOf(place));

/** The turns on the screen: while a prompt is being edited, its old version is still the current one. */
export function shownPath({ conversation, branch }: Place): readonly Turn[] {
  return currentPath(branch?.reason === 'edit' ? { conversation } : { conversation, branch });
}

/** The conversation up to the place of the next prompt. */
export function conversationOf({ conversation, branch }: Place): Conversation {
  return branch === undefined ? conversation : endingWith(conversation, branch.parent);
}

/** The messages of a request, which may end with others than those of the conversation; an empty system prompt is omitted. */
export function messagesFor(conversation: Conversation, next?: Parameters<typeof messagesOf>[1]) {
  return messagesOf(conversation, next).filter(
    ({ role, content }) => role !== 'system' || content.trim() !== '',
  );
}

export type PromptAndAnswer = Readonly<{ prompt: Turn; answer: Turn | undefined }>;

export function promptsOf(path: readonly Turn[]): readonly PromptAndAnswer[] {
  const prompts = path.flatMap((turn, index) => (turn.role === 'user' ? [index] : []));
  return prompts.flatMap((start, number) => {
    const [prompt, ...others] = path.slice(start, prompts[number + 1]);
    const answer = others.find(({ role }) => role === 'assistant');
    return prompt === undefined ? [] : [{ prompt, answer }];
  });
}

export function lastPrompt(path: readonly Turn[]): PromptAndAnswer | undefined {
  return promptsOf(path).at(-1);
}

/** Whether the answer has text or a refusal. */
export const isAnswered = (pair: PromptAndAnswer): pair is PromptAndAnswer & { answer: Turn } =>
  pair.answer !== undefined && textOf(pair.answer) !== '';

export const tokenLimitNotice = 'the answer reached the token limit; /continue resumes it';

/** The next prompt becomes a version of an unanswered one, so that the roles in a request alternate. */
export function nextParent(state: ReplState): string | undefined {
  const path = currentPath(state);
  const pair = lastPrompt(path);
  if (pair === undefined || isAnswered(pair)) return path.at(-1)?.id;
  return pair.prompt.parent;
}

/** Updates the context use too. */
export function withBranch(state: ReplState, branch: Branch | undefined): ReplState {
  return { ...state, branch, context: contextUse({ ...state, branch }) };
}

function reportedTokens({ usage = {} }: Turn): number | undefined {
  const { total_tokens: total, prompt_tokens: prompt, completion_tokens: completion } = usage;
  const isCounted = prompt !== undefined && completion !== undefined;
  return total ?? (isCounted ? prompt + completion : undefined);
}

/** The last usage that the service reported for the present messages, plus an estimate of the turns after it. */
export function contextUse(place: Place): ContextUse {
  const end = conversationOf(place);
  const path = pathOf(end);
  const summary = summaryOf(end);
  const last = path.findLast(
    (turn) =>
      reportedTokens(turn) !== undefined &&
      (summary === undefined || turn.createdAt > summary.createdAt),
  );
  const counted = last && reportedTokens(last);
  if (counted !== undefined && last === path.at(-1)) return { tokens: counted, isEstimate: false };
  const estimate = estimateMessages(messagesFor(end));
  if (last === undefined || counted === undefined) return { tokens: estimate, isEstimate: true };
  const since = estimate - estimateMessages(messagesFor(endingWith(place.conversation, last.id)));
  return { tokens: Math.max(0, counted + since), isEstimate: since !== 0 };
}

/** The turn before a prompt with this parent, without system prompts: versions may differ in them. */
function turnBefore({ turns }: Conversation, parent: string | undefined): Turn | undefined {
  let turn = turns.get(parent ?? '');
  while (turn?.role === 'system') turn = turns.get(turn.parent ?? '');
  return turn;
}

/** When a prompt was sent, if that is shown. @param isFirst the turn before is not shown */
export function timeOf(
  state: ReplState,
  { createdAt, parent }: Pick<Turn, 'createdAt' | 'parent'>,
  isFirst = false,
) {
  if (state.settings.times === 'off') return undefined;
  const before = isFirst ? undefined : turnBefore(state.conversation, parent)?.createdAt;
  return promptTime(createdAt, before);
}

/** The line before a prompt that was sent hours after the turn before. */
export const gapEntries = (time: PromptTime | undefined): readonly Entry[] =>
  time?.gap === undefined ? [] : [notice(time.gap)];

/**
 * The last turn of each version of a prompt, oldest first, and the index of the one in use: the answer, or the prompt
 * if it has none. Unanswered prompts and empty answers are omitted, unless in use.
 */
export function versionsOf(conversation: Conversation, { prompt, answer }: PromptAndAnswer) {
  const place = turnBefore(conversation, prompt.parent);
  const turns = [...conversation.turns.values()];
  const prompts = turns.filter(
    (turn) => turn.role === 'user' && turnBefore(conversation, turn.parent) === place,
  );
  const promptIds = new Set<string | undefined>(prompts.map(({ id }) => id));
  const current = answer ?? prompt;
  const ends = turns.filter((turn) => {
    const isAnswer = turn.role === 'assistant' && promptIds.has(turn.parent);
    return (isAnswer && textOf(turn) !== '') || turn.id === current.id;
  });
  return { ends, index: ends.findIndex(({ id }) => id === current.id) };
}

/** Whether the conversation has filled 80% of the window. */
export function isNearlyFull({ settings, context, service }: ReplState): boolean {
  return contextFit(settings.model, context.tokens, service.windows).state !== 'fits';
}

/** A different conversation brings its system prompt and its model. */
export function withConversation(state: ReplState, conversation: Conversation): ReplState {
  if (conversation.id === state.conversation.id) {
    const context = contextUse({ ...state, conversation });
    const next = { ...state, conversation, context };
    return { ...next, hasOfferedModel: state.hasOfferedModel && isNearlyFull(next) };
  }
  const { settings } = state;
  const system = systemOf(conversation) ?? settings.system;
  const model = modelOf(conversation) ?? settings.model;
  // A new one keeps them.
  const isNew = conversation.turns.size === 0;
  const parameters = conversation.parameters ?? (isNew ? settings.parameters : undefined);
  const role = system === settings.system ? settings.role : undefined;
  const used = { ...state, settings: { ...settings, system, role, model, parameters } };
  return {
    ...used,
    conversation,
    branch: undefined,
    context: contextUse({ conversation }),
    hasOfferedModel: false,
    compaction: { ...state.compaction, hasFailed: false },
  };
}

/** `0.1 s` (at least), `2.4 s`, `31 s`, `2 min 5 s`. */
function timeText(milliseconds: number): string {
  const whole = Math.round(milliseconds / 1000);
  return whole < 60 ? seconds(Math.max(100, milliseconds)) : durationText(whole);
}

/** `reasoned for 12 s, 340 words`; the time is not known of an earlier answer. */
export function reasonedText(reasoning: string, milliseconds?: number): string {
  const time = milliseconds === undefined ? '' : ` for ${timeText(milliseconds)}`;
  return `reasoned${time}, ${countOf(reasoning.trim().split(/\s+/).length, 'word')}`;
}

function factsOf(answer: Turn, measured: number | undefined): readonly string[] {
  const { model, fallbackFrom, usage, timing } = answer;
  const passed = fallbackFrom?.map((from) => from.model).join(', ');
  const total = timing?.total ?? measured;
  const { tokens, isEstimate } = answerTokens({ usage, content: textOf(answer) });
  return [
    ...(model === undefined ? [] : [passed === undefined ? model : `${model} after ${passed}`]),
    ...(total === undefined ? [] : [timeText(total)]),
    tokenText(tokens, isEstimate),
  ];
}

/** The row below an answer, if there is anything to show. @param measured milliseconds, for an answer that was cut */
export function closingOf(
  conversation: Conversation,
  pair: PromptAndAnswer,
  time?: PromptTime,
  measured?: number,
): readonly Closing[] {
  const facts = isAnswered(pair) ? factsOf(pair.answer, measured) : [];
  const { ends, index } = versionsOf(conversation, pair);
  const version = ends.length < 2 ? undefined : `version ${index + 1}/${ends.length}`;
  if (facts.length === 0 && version === undefined) return [];
  const names = ends.map(({ model = 'no answer' }) => model);
  const authors = names.map((model, number) => `${number + 1} by ${model}`).join(', ');
  const models = new Set(names).size < 2 ? '' : ` (${authors})`;
  return [{ type: 'closing', facts, version, models, time }];
}

/** Passes the journal's current conversation to the state. */
export function updateConversation(session: Session): void {
  const conversation = session.journal().conversation();
  session.update((state) => step(withConversation(state, conversation)));
}

/** Changes the journal: attributes of the conversation, a prompt that is undone, or a summary that is removed. */
export function changeJournal(
  session: Session,
  change:
    | { readonly set: Attributes }
    | { readonly undo: string }
    | { readonly removeSummary: string },
): void {
  const journal = session.journal();
  if ('set' in change) journal.set(change.set);
  else if ('undo' in change) journal.undo(change.undo);
  else journal.setSummary({ turn: change.removeSummary, after: '', content: '' });
  updateConversation(session);
}
