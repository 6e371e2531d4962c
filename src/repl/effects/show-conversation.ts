import { pathOf, textOf, titleOf, type Conversation, type Turn } from '../../conversation/tree.ts';
import { notice, type Entry } from '../state/entry.ts';
import { promptsOf, type PromptAndAnswer } from '../state/position.ts';
import { refusalNotice } from '../../output/notices.ts';
import { closingOf } from '../text/closing.ts';
import { sentEntries } from '../text/sent-prompt.ts';

/** Prompts shown of a reopened conversation; more would push the composer far down. */
const maxPrompts = 3;

function answerEntries(answer: Turn | undefined): readonly Entry[] {
  if (answer === undefined || textOf(answer) === '') return [notice('no answer was received')];
  const { content: text, refusal, model } = answer;
  const isCut = answer.incomplete === true || answer.finishReason === 'length';
  return [
    ...(text === '' ? [] : [{ type: 'answer', text, model } as const]),
    ...(refusal === undefined ? [] : [notice(refusalNotice(refusal))]),
    ...(isCut ? [notice('cut off; /continue resumes it')] : []),
  ];
}

function promptEntries(conversation: Conversation, pair: PromptAndAnswer): readonly Entry[] {
  return [
    ...sentEntries(pair.prompt.content),
    ...answerEntries(pair.answer),
    ...closingOf(conversation, pair),
  ];
}

/** The conversation from `turnId` (a prompt or answer) to its end. */
export function entriesFrom(conversation: Conversation, turnId: string): readonly Entry[] {
  const pairs = promptsOf(pathOf(conversation));
  const first = pairs.findIndex(({ prompt, answer }) => [prompt.id, answer?.id].includes(turnId));
  return pairs.slice(first).flatMap((pair) => promptEntries(conversation, pair));
}

/** The last prompts and answers of a reopened conversation, below its id and title. */
export function showConversation(conversation: Conversation): readonly Entry[] {
  const pairs = promptsOf(pathOf(conversation));
  const shown = pairs.slice(-maxPrompts);
  const hidden = pairs.length - shown.length;
  const title = titleOf(conversation);
  const prompts = hidden === 1 ? '1 earlier prompt is' : `${hidden} earlier prompts are`;
  const earlier = hidden === 0 ? '' : `; ${prompts} not shown`;
  const head = notice(
    `conversation ${conversation.id}${title === '' ? '' : `: ${title}`}${earlier}`,
  );
  return [head, ...shown.flatMap((pair) => promptEntries(conversation, pair))];
}
