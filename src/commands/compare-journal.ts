import type { ChatEvent } from '../client/events.ts';
import type { Message } from '../client/contract.ts';
import type { JournalOptions } from '../conversation/journal.ts';
import type { ComparedAnswer } from '../output/comparison/comparison-view.ts';

/** The conversation of a comparison: a prompt, and answers that are versions of each other. */
export interface ComparisonJournal {
  /** Hands on the events of an answer and keeps it. */
  keep(index: number, events: AsyncIterable<ChatEvent>): AsyncIterable<ChatEvent>;
  /** Selects the answer the conversation goes on with: the first that is whole, else the first with text. */
  choose(answers: readonly ComparedAnswer[]): void;
  close(): Promise<void>;
}

export const keepsNothing: ComparisonJournal = {
  keep: (_index, events) => events,
  choose: () => undefined,
  close: async () => undefined,
};

/** Puts the prompt on disk and begins an answer of each model, in their order. */
export async function openComparisonJournal(
  options: JournalOptions,
  messages: readonly Message[],
  models: readonly string[],
): Promise<ComparisonJournal> {
  const { createJournal } = await import('../conversation/open-journal.ts');
  const { journalAnswer } = await import('./journal-answer.ts');
  const journal = createJournal(options);
  let parent: string | undefined;
  for (const { role, content } of messages) {
    parent = journal.addTurn({ role: role === 'system' ? role : 'user', content, parent }).id;
  }
  const ids = models.map((model) => journal.startAnswer({ model, parent }).id);
  const select = (index: number) => {
    const id = ids[index];
    if (id !== undefined) journal.choose(id);
  };
  select(0);
  return {
    keep: (index, events) => journalAnswer(journal, models[index] ?? '', events, ids[index]),
    choose(answers) {
      const hasText = ({ content }: ComparedAnswer) => content !== '';
      const whole = answers.findIndex((answer) => answer.record.complete && hasText(answer));
      const best = [whole, answers.findIndex(hasText)].find((index) => index >= 0);
      select(best ?? 0);
    },
    close: () => journal.close(),
  };
}
