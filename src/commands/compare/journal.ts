import type { ChatEvent } from '../../client/events.ts';
import type { Message } from '../../client/contract.ts';
import type { Journal } from '../../conversation/journal/journal.ts';
import type { ComparedAnswer } from '../../output/comparison/comparison-view.ts';
import type { Notices } from '../../output/notices.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import {
  journalOptions,
  nextTurns,
  openNamedJournal,
  type NextTurn,
} from '../journal/open-conversation.ts';
import type { Context } from '../program/context.ts';
import { promptMessages } from '../prompt/chat-request.ts';
import type { Correction } from '../check/ask.ts';
import type { ConversationOptions } from '../prompt/prompt-options.ts';
import type { ComparedModel } from './models.ts';

/** The conversation of a comparison. The answers are versions of the same turn. */
export interface ComparisonJournal {
  /** The messages for a model with these settings. */
  messages(settings: ResolvedSettings): readonly Message[];
  /** Records an answer while passing its events through. */
  record(index: number, events: AsyncIterable<ChatEvent>): AsyncIterable<ChatEvent>;
  /** Records a correction and its answer below the last answer of the model; the same prompt again adds a version. */
  recordCorrection(
    index: number,
    correction: Correction,
    events: AsyncIterable<ChatEvent>,
  ): AsyncIterable<ChatEvent>;
  /** The id of the conversation; undefined if it is not saved. */
  readonly id: string | undefined;
  /** Selects the answer to continue with: the first complete one with text, else the first with text. */
  choose(answers: readonly ComparedAnswer[]): void;
  close(): Promise<void>;
}

export interface ComparisonJournalOptions {
  readonly context: Context;
  readonly notices: Notices;
  readonly options: ConversationOptions;
  readonly models: readonly ComparedModel[];
  readonly prompt: string;
  /** Whether the conversation is written to disk. */
  readonly save: boolean;
}

type MessagesFor = ComparisonJournal['messages'];

function unsavedJournal(messages: MessagesFor): ComparisonJournal {
  return {
    messages,
    id: undefined,
    record: (_index, events) => events,
    recordCorrection: (_index, _correction, events) => events,
    choose: () => undefined,
    close: async () => undefined,
  };
}

const hasText = ({ content }: ComparedAnswer) => content !== '';
const isComplete = ({ metadata, failure }: ComparedAnswer) =>
  metadata.complete && failure === undefined;

/** The index of the first complete answer with text, else of the first with text. */
function bestOf(answers: readonly ComparedAnswer[]): number {
  const complete = answers.findIndex((answer) => isComplete(answer) && hasText(answer));
  return [complete, answers.findIndex(hasText)].find((index) => index >= 0) ?? 0;
}

/** Writes the prompt and starts an answer for each model, in order. */
async function begin(
  journal: Journal,
  turns: readonly NextTurn[],
  models: readonly string[],
  messages: MessagesFor,
): Promise<ComparisonJournal> {
  const { createAnswerRecorder, recordAnswer } =
    await import('../../conversation/journal/record-answer.ts');
  const [parent] = turns.map((turn) => journal.addTurn(turn).id).slice(-1);
  const ids = models.map((model) => journal.startAnswer({ model, parent }).id);
  const prompts = models.map(() => parent);
  const select = (index: number) => {
    const id = ids[index];
    if (id !== undefined) journal.select(id);
  };
  select(0);
  return {
    messages,
    id: journal.conversation().id,
    record(index, events) {
      const answer = { model: models[index] ?? '', parent };
      return recordAnswer(createAnswerRecorder(journal, answer, ids[index]), events);
    },
    recordCorrection(index, { isRepeat, prompt }, events) {
      if (!isRepeat) {
        const content = prompt;
        prompts[index] = journal.addTurn({ role: 'user', content, parent: ids[index] }).id;
      }
      const answer = { model: models[index] ?? '', parent: prompts[index] };
      const { id } = journal.startAnswer(answer);
      ids[index] = id;
      return recordAnswer(createAnswerRecorder(journal, answer, id), events);
    },
    choose: (answers) => select(bestOf(answers)),
    close: () => journal.close(),
  };
}

/**
 * Opens the conversation that the options name, or a new one with the system prompt of the first model.
 * @throws Failure if the named one cannot be found or opened
 */
export async function openComparisonJournal(
  comparison: ComparisonJournalOptions,
): Promise<ComparisonJournal> {
  const { context, notices, options, models, prompt, save } = comparison;
  const ids = models.map(({ settings }) => settings.values.model);
  const [first] = models;
  const promptOnly: MessagesFor = ({ values }) => promptMessages(values.system, prompt);
  if (first === undefined) return unsavedJournal(promptOnly);
  const journal = journalOptions(context, notices, save);
  const named = await openNamedJournal({ context, notices, journal }, options);
  if (named !== undefined) {
    const { turns, messages } = await nextTurns(named, notices, first.settings, prompt);
    return begin(named, turns, ids, () => messages);
  }
  if (!save) return unsavedJournal(promptOnly);
  const { createJournal } = await import('../../conversation/journal/open-journal.ts');
  return begin(createJournal(journal), promptOnly(first.settings) as NextTurn[], ids, promptOnly);
}
