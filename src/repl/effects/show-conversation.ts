import { pathOf, textOf, titleOf, type Conversation, type Turn } from '../../conversation/tree.ts';
import { notice, type Entry } from '../state/entry.ts';
import { exchangesOf, type Exchange } from '../state/position.ts';
import { refusalNotice } from '../../output/answer-notices.ts';
import { sentEntries } from '../text/sent-prompt.ts';
import { versionText } from '../state/versions.ts';

/** Turns shown when a conversation is reopened; more would push the composer far down. */
const mostExchanges = 3;

function answerEntries(answer: Turn | undefined): readonly Entry[] {
  if (answer === undefined || textOf(answer) === '') return [notice('no answer was received')];
  const { content: text, refusal, model } = answer;
  return [
    ...(text === '' ? [] : [{ type: 'answer', text, model } as const]),
    ...(refusal === undefined ? [] : [notice(refusalNotice(refusal))]),
    ...(answer.incomplete === true ? [notice('cut off; /continue resumes it')] : []),
  ];
}

function exchangeEntries(conversation: Conversation, exchange: Exchange): readonly Entry[] {
  const text = versionText(conversation, exchange);
  return [
    ...sentEntries(exchange.prompt.content),
    ...answerEntries(exchange.answer),
    ...(text === undefined ? [] : [notice(text)]),
  ];
}

/** The conversation from the prompt or answer `turnId` on. */
export function entriesFrom(conversation: Conversation, turnId: string): readonly Entry[] {
  const exchanges = exchangesOf(pathOf(conversation));
  const first = exchanges.findIndex(({ prompt, answer }) =>
    [prompt.id, answer?.id].includes(turnId),
  );
  return exchanges.slice(first).flatMap((exchange) => exchangeEntries(conversation, exchange));
}

/** The last turns of a reopened conversation, under its id and title. */
export function showConversation(conversation: Conversation): readonly Entry[] {
  const exchanges = exchangesOf(pathOf(conversation));
  const shown = exchanges.slice(-mostExchanges);
  const left = exchanges.length - shown.length;
  const title = titleOf(conversation);
  const prompts = left === 1 ? '1 earlier prompt is' : `${left} earlier prompts are`;
  const earlier = left === 0 ? '' : `; ${prompts} not shown`;
  const head = notice(`${conversation.id}${title === '' ? '' : `: ${title}`}${earlier}`);
  return [head, ...shown.flatMap((exchange) => exchangeEntries(conversation, exchange))];
}
