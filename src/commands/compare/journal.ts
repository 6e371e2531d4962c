import type { Message } from '../../client/contract.ts';
import type { Journal } from '../../conversation/journal/journal.ts';
import { createJournal } from '../../conversation/journal/open-journal.ts';
import { createPromptRecord, type PromptRecord } from '../../conversation/journal/record-answer.ts';
import type { ComparedAnswer } from '../../output/comparison/comparison-view.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import {
  journalOptions,
  nextTurns,
  openNamedJournal,
  type NextTurn,
} from '../journal/open-conversation.ts';
import { promptMessages } from '../../ask/plan-request.ts';
import type { Comparison } from './models.ts';

/** The conversation of a comparison. The answers are versions of the same turn. */
export interface ComparisonJournal {
  /** The messages for a model with these settings. */
  messages(settings: ResolvedSettings): readonly Message[];
  /** What records the answer of each model; empty if nothing is saved. */
  readonly records: readonly PromptRecord[];
  /** The id of the conversation; undefined if it is not saved. */
  readonly id: string | undefined;
  /** Selects the answer to continue with: the first complete one with text, else the first with text. */
  choose(answers: readonly ComparedAnswer[]): void;
  close(): Promise<void>;
}

type MessagesFor = ComparisonJournal['messages'];

function unsavedJournal(messages: MessagesFor): ComparisonJournal {
  return {
    messages,
    id: undefined,
    records: [],
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
function begin(
  journal: Journal,
  turns: readonly NextTurn[],
  models: readonly string[],
  messages: MessagesFor,
): ComparisonJournal {
  const [parent] = turns.map((turn) => journal.addTurn(turn).id).slice(-1);
  const records = models
    .map((model) => journal.startAnswer({ model, parent }).id)
    .map((id) => createPromptRecord(journal, parent, id));
  const select = (index: number) => {
    const id = records[index]?.turn();
    if (id !== undefined) journal.select(id);
  };
  select(0);
  return {
    messages,
    id: journal.conversation().id,
    records,
    choose: (answers) => select(bestOf(answers)),
    close: () => journal.close(),
  };
}

/**
 * Opens the conversation that the options name, or a new one with the system prompt of the first model.
 * @throws Failure if the named one cannot be found or opened
 */
export async function openComparisonJournal(comparison: Comparison): Promise<ComparisonJournal> {
  const { context, options, presentation, models, prompt } = comparison;
  // Answers of a profile that saves no conversations must not be in a conversation of a different profile.
  const save = models.every(({ settings }) => settings.values.save) && options.dryRun !== true;
  const ids = models.map(({ settings }) => settings.values.model);
  const [first] = models;
  const promptOnly: MessagesFor = ({ values }) => promptMessages(values.system, prompt);
  if (first === undefined) return unsavedJournal(promptOnly);
  const { settings } = first;
  const journal = journalOptions(context, presentation.notices, save);
  const named = await openNamedJournal(comparison, journal);
  if (named !== undefined) {
    const { turns, messages } = nextTurns({ ...comparison, settings }, named, prompt);
    return begin(named, turns, ids, () => messages);
  }
  if (!save) return unsavedJournal(promptOnly);
  return begin(createJournal(journal), promptOnly(settings) as NextTurn[], ids, promptOnly);
}
