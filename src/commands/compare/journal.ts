import type { ChatEvent } from '../../client/events.ts';
import type { Message } from '../../client/contract.ts';
import type { Journal } from '../../conversation/journal/journal.ts';
import type { ComparedAnswer } from '../../output/comparison/comparison-view.ts';
import type { Notices } from '../../output/notices.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import { promptMessages } from '../prompt/chat-request.ts';
import type { ComparedModel } from './models.ts';
import type { CompareOptions } from './options.ts';
import type { Context } from '../program/context.ts';
import {
  journalOptions,
  nextTurns,
  openNamedJournal,
  type NextTurn,
} from '../journal/open-conversation.ts';

/** The conversation of a comparison: a prompt, and answers that are versions of each other. */
export interface ComparisonJournal {
  /** What a model with these settings is sent. */
  messages(settings: ResolvedSettings): readonly Message[];
  /** Hands on the events of an answer and keeps it. */
  keep(index: number, events: AsyncIterable<ChatEvent>): AsyncIterable<ChatEvent>;
  /** Selects the answer the conversation goes on with: the first that is whole, else the first with text. */
  choose(answers: readonly ComparedAnswer[]): void;
  close(): Promise<void>;
}

export interface ComparisonJournalOptions {
  readonly context: Context;
  readonly notices: Notices;
  readonly options: CompareOptions;
  readonly models: readonly ComparedModel[];
  readonly prompt: string;
  /** Whether anything is written. */
  readonly save: boolean;
}

type Asked = ComparisonJournal['messages'];

function keepsNothing(messages: Asked): ComparisonJournal {
  return {
    messages,
    keep: (_index, events) => events,
    choose: () => undefined,
    close: async () => undefined,
  };
}

/** Puts the prompt on disk and begins an answer of each model, in their order. */
async function begin(
  journal: Journal,
  turns: readonly NextTurn[],
  models: readonly string[],
  messages: Asked,
): Promise<ComparisonJournal> {
  const { createAnswerRecorder, recordAnswer } =
    await import('../../conversation/journal/record-answer.ts');
  const [parent] = turns.map((turn) => journal.addTurn(turn).id).slice(-1);
  const ids = models.map((model) => journal.startAnswer({ model, parent }).id);
  const select = (index: number) => {
    const id = ids[index];
    if (id !== undefined) journal.select(id);
  };
  select(0);
  return {
    messages,
    keep(index, events) {
      const answer = { model: models[index] ?? '', parent };
      return recordAnswer(createAnswerRecorder(journal, answer, ids[index]), events);
    },
    choose(answers) {
      const hasText = ({ content }: ComparedAnswer) => content !== '';
      const isWhole = ({ record, failure }: ComparedAnswer) =>
        record.complete && failure === undefined;
      const whole = answers.findIndex((answer) => isWhole(answer) && hasText(answer));
      const best = [whole, answers.findIndex(hasText)].find((index) => index >= 0);
      select(best ?? 0);
    },
    close: () => journal.close(),
  };
}

/**
 * The conversation that the options name, or a new one, which has the system prompt of the first model.
 * @throws Failure when the one to go on with cannot be found or opened
 */
export async function openComparisonJournal(
  comparison: ComparisonJournalOptions,
): Promise<ComparisonJournal> {
  const { context, notices, options, models, prompt, save } = comparison;
  const ids = models.map(({ settings }) => settings.values.model);
  const [first] = models;
  const alone: Asked = ({ values }) => promptMessages(values.system, prompt);
  if (first === undefined) return keepsNothing(alone);
  const journal = journalOptions(context, notices, save);
  const named = await openNamedJournal({ context, notices, journal }, options);
  if (named !== undefined) {
    const { turns, messages } = await nextTurns(named, notices, first.settings, prompt);
    return begin(named, turns, ids, () => messages);
  }
  if (!save) return keepsNothing(alone);
  const { createJournal } = await import('../../conversation/journal/open-journal.ts');
  return begin(createJournal(journal), alone(first.settings) as NextTurn[], ids, alone);
}
