import { type Answer, ask } from '../../ask/ask.ts';
import { planRequest } from '../../ask/plan-request.ts';
import type { Message } from '../../client/contract.ts';
import type { ChatEvent } from '../../client/events.ts';
import { estimateMessages } from '../../conversation/token-estimate.ts';
import { cleanLine } from '../../secrets/secrets.ts';
import { failureBeside } from '../context/compaction.ts';
import { conversationOf, messagesFor } from '../conversations/position.ts';
import type { Session } from '../session.ts';
import type { SlashCommand } from '../slash-command.ts';
import type { ReplState, SessionSettings, Update } from '../state.ts';
import { printing, refuse, step, stopKey, task } from '../step.ts';
import { failureEntry, notice } from '../transcript/transcript.ts';
import { countTokens, endingTexts } from './send-prompt.ts';

const withoutAside = (state: ReplState): ReplState => ({ ...state, aside: undefined });

function endingEntries({ context }: Session, answer: Answer) {
  const { error, failure, isStopped, metadata } = answer;
  const isRefused = metadata.refusal !== undefined && failure?.kind === 'no_answer';
  const isFailed = error !== undefined && !isRefused;
  // The failure says how the answer ended.
  const unfailed = {
    ...answer,
    failure: undefined,
    metadata: { ...metadata, finishReason: 'stop' },
  };
  const texts = endingTexts(isFailed ? unfailed : answer);
  const said = isStopped ? [...texts, 'the side question was stopped'] : texts;
  const notices = said.map((text) => notice(cleanLine(context, text)));
  if (isStopped || !isFailed) return notices;
  const { kind, message, hint } = failureBeside(error, context, 'btw');
  const own = kind === 'unauthorized' ? 'a prompt asks for a new key' : hint;
  return [...notices, failureEntry(message, own)];
}

/** Asks beside the conversation, whose journal has neither the messages nor the answer. */
export async function askBeside(
  session: Session,
  messages: readonly Message[],
  asked: {
    readonly settings: SessionSettings;
    /** The name that the ledger has for the request. */
    readonly command: string;
    readonly signal: AbortSignal;
    readonly onEvent?: (event: ChatEvent) => void;
  },
) {
  const { service, guard, context, options } = session;
  const { settings, command, signal, onEvent } = asked;
  let warning: string | undefined;
  const send = () => {
    const planned = planRequest(service.settingsOf(settings), messages, options.stream, '/model');
    ({ warning } = planned);
    return service.current().clientFor(command).chat(planned.request, { signal });
  };
  const question = { send, signal, guard, clock: context.clock };
  const answer = await ask(question, { event: async (event) => onEvent?.(event) });
  countTokens(session, estimateMessages(messages), answer);
  return { answer, warning };
}

/** Asks a side question; `updated` prints it with its whole answer. The journal has neither. */
export async function answerAside(
  session: Session,
  asked: Readonly<{ question: string; messages: readonly Message[]; settings: SessionSettings }>,
): Promise<void> {
  const { question, messages, settings } = asked;
  // The status row has the cause of a retry, until the next attempt has an answer.
  const onEvent = (event: ChatEvent) => {
    const cause = event.type === 'retry-scheduled' ? event.cause.message : undefined;
    session.update((state) =>
      step(state.aside ? { ...state, aside: { ...state.aside, cause } } : state),
    );
  };
  const how = { settings, command: 'btw', signal: session.begin('aside'), onEvent };
  const { answer, warning } = await askBeside(session, messages, how);
  const notices = warning === undefined ? [] : [notice(warning)];
  const ending = endingEntries(session, answer);
  const aside = { type: 'aside', question, text: answer.content } as const;
  session.update((state) => {
    const { asides = [] } = state;
    return step({ ...withoutAside(state), asides: [...asides, aside, ...notices, ...ending] });
  });
}

function askAside(state: ReplState, question: string): Update {
  if (question === '')
    return refuse(state, '/btw needs a question', '/btw what does idempotent mean?');
  if (state.aside !== undefined)
    return refuse(state, 'a side question still runs', `${stopKey(state)} stops it`);
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
  example: '/btw what does idempotent mean?',
  run: askAside,
};
