import { type Answer, ask } from '../../ask/ask.ts';
import type { Message } from '../../client/contract.ts';
import { Failure } from '../../failure.ts';
import { refusalNotice, truncationWarning } from '../../output/notices.ts';
import { cleanLine } from '../../secrets/secrets.ts';
import { countTokens } from '../context/compaction.ts';
import { conversationOf, messagesFor } from '../conversations/position.ts';
import { failureText, type Session } from '../session.ts';
import type { SlashCommand } from '../slash-command.ts';
import type { ReplState, SessionSettings, Update } from '../state.ts';
import { isWriting, printing, refuse, showNow, step, stopKey, task } from '../step.ts';
import { failureEntry, notice, type Entry } from '../transcript/transcript.ts';

/** A side question with the turns before it. */
interface Asked {
  readonly question: string;
  readonly messages: readonly Message[];
  readonly settings: SessionSettings;
}

const withoutAside = (state: ReplState): ReplState => ({ ...state, aside: undefined });

/** Why an answer is not whole, if it is not. */
function endingEntries(session: Session, answer: Answer): readonly Entry[] {
  const { error, failure, isStopped, metadata } = answer;
  if (isStopped) return [notice('the side question was stopped')];
  if (error !== undefined) {
    const { kind, message, hint } = failureText(error, session.context);
    const isCut = error instanceof Failure && error.remedy?.code === 'send-again';
    if (kind === 'unauthorized') return [failureEntry(message, 'a prompt asks for a new key')];
    return [failureEntry(message, isCut ? '/btw asks again' : hint)];
  }
  const { refusal, finishReason = 'stop' } = metadata;
  const isWhole = finishReason === 'stop' || failure !== undefined;
  const texts = [
    refusal === undefined ? failure?.message : refusalNotice(refusal),
    isWhole ? undefined : `the answer ended with ${finishReason}`,
    truncationWarning(metadata),
  ].filter((text) => text !== undefined);
  return texts.map((text) => notice(cleanLine(session.context, text)));
}

/** Asks a side question; `printAsides` prints it with its whole answer. The journal has neither. */
export async function answerAside(
  session: Session,
  { question, messages, settings }: Asked,
): Promise<void> {
  const { service, guard, context } = session;
  const signal = session.begin('aside');
  const notices: Entry[] = [];
  const send = () => {
    const { request, warning } = service.plan(messages, settings);
    if (warning !== undefined) notices.push(notice(warning));
    return service.clientFor('btw').chat(request, { signal });
  };
  const answer = await ask({ send, signal, guard, clock: context.clock });
  countTokens(session, messages, answer);
  const ending = endingEntries(session, answer);
  const aside = { type: 'aside', question, text: answer.content } as const;
  session.update((state) => {
    const { asides = [] } = state;
    return step({ ...withoutAside(state), asides: [...asides, aside, ...notices, ...ending] });
  });
}

/** Prints answered side questions, unless an answer is written, in the middle of which they would be. */
export function printAsides(state: ReplState): Update {
  const { asides = [], activity, reasoning } = state;
  const isOpen =
    activity?.type === 'answer' && (activity.phase === 'streaming' || reasoning === 'show');
  if (asides.length === 0 || isOpen) return step(state);
  return step({ ...state, asides: [] }, printing(...asides));
}

/** Says at once why there is no side question, also while an answer is written. */
const refuseAside = (state: ReplState, problem: string, hint: string): Update =>
  isWriting(state) ? showNow(state, `${problem}; ${hint}`) : refuse(state, problem, hint);

function askAside(state: ReplState, question: string): Update {
  if (question === '')
    return refuseAside(state, '/btw needs a question', '/btw what does idempotent mean?');
  if (state.aside !== undefined)
    return refuseAside(state, 'a side question still runs', `${stopKey(state)} stops it`);
  const { settings, now } = state;
  // While an answer is written, the state has neither that nor, without one, its prompt in a request.
  const messages = messagesFor(conversationOf(state), [
    { role: 'system', content: settings.system ?? '' },
    { role: 'user', content: question },
  ]);
  const asked = task(answerAside, { question, messages, settings }, withoutAside);
  const next = { ...state, aside: { since: now, isStopping: false } };
  const isQuiet = !state.isLineMode || state.activity !== undefined;
  const said = notice(`asking beside the conversation; ${stopKey(state)} stops it`);
  return step(next, ...(isQuiet ? [] : [printing(said)]), asked);
}

export const btwCommand: SlashCommand = {
  name: 'btw',
  argument: '<question>',
  isSilent: true,
  isImmediate: true,
  takesLines: true,
  summary: 'ask beside the conversation, which does not keep it',
  group: 'answers',
  example: '/btw what does idempotent mean?',
  run: askAside,
};
