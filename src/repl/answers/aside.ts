// What is asked beside the conversation, which keeps neither question nor answer: `/btw`, and a title.
import { type Answer, ask } from '../../ask/ask.ts';
import { planRequest } from '../../ask/plan-request.ts';
import type { Message } from '../../client/contract.ts';
import type { ChatEvent } from '../../client/events.ts';
import { estimateMessages } from '../../conversation/token-estimate.ts';
import { splitPrompt } from '../../conversation/compose-prompt.ts';
import { isAnswer, pathOf, textOf, titleFrom } from '../../conversation/tree.ts';
import { toFailure } from '../../output/ending-failure.ts';
import { cleanLine } from '../../secrets/secrets.ts';
import { sanitize } from '../../terminal/safety/sanitizer.ts';
import { failureBeside } from '../context.ts';
import {
  conversationOf,
  lastPrompt,
  messagesFor,
  updateConversation,
} from '../conversations/position.ts';
import type { Session } from '../session.ts';
import type { SlashCommand } from '../slash-command.ts';
import type { ReplState, Update } from '../state.ts';
import { printing, refuse, step, stopKey, task } from '../step.ts';
import { failureEntry, notice } from '../transcript/transcript.ts';
import { countTokens, endingTexts } from './send-prompt.ts';

const withoutAside = (state: ReplState): ReplState => ({ ...state, aside: undefined });

function endingEntries({ context }: Session, answer: Answer) {
  const { error, failure, isStopped, metadata } = answer;
  const noticesOf = (texts: readonly string[]) =>
    texts.map((text) => notice(cleanLine(context, text)));
  const isRefused = metadata.refusal !== undefined && failure?.kind === 'no_answer';
  if (error === undefined || isRefused) return noticesOf(endingTexts(answer));
  // The failure says how the answer ended.
  const ended = { ...metadata, finishReason: 'stop' };
  const texts = endingTexts({ ...answer, failure: undefined, metadata: ended });
  if (isStopped) return noticesOf([...texts, 'the side question was stopped']);
  const { kind, message, hint } = failureBeside(error, context, 'btw');
  const own = kind === 'unauthorized' ? 'a prompt asks for a new key' : hint;
  return [...noticesOf(texts), failureEntry(message, own)];
}

/**
 * Asks beside the conversation, whose journal has neither the messages nor the answer.
 * @param command the name that the ledger has for the request
 */
async function askBeside(
  session: Session,
  command: 'btw' | 'title',
  messages: readonly Message[],
  onEvent?: (event: ChatEvent) => void,
) {
  const { service, context, options } = session;
  const { settings } = session.state();
  const signal = session.begin(command);
  let warning: string | undefined;
  const send = () => {
    const planned = planRequest(service.settingsOf(settings), messages, options.stream, '/model');
    ({ warning } = planned);
    return service.current().clientFor(command).chat(planned.request, { signal });
  };
  const question = { send, signal, guard: service, clock: context.clock };
  const answer = await ask(question, { event: async (event) => onEvent?.(event) });
  countTokens(session, estimateMessages(messages), answer);
  return { answer, warning };
}

/** Asks a side question; `updated` prints it with its whole answer. The journal has neither. */
export async function answerAside(
  session: Session,
  { question, messages }: Readonly<{ question: string; messages: readonly Message[] }>,
): Promise<void> {
  // The status row has the cause of a retry, until the next attempt has an answer.
  const onEvent = (event: ChatEvent) => {
    const cause = event.type === 'retry-scheduled' ? event.cause.message : undefined;
    session.update((state) =>
      step(state.aside ? { ...state, aside: { ...state.aside, cause } } : state),
    );
  };
  const { answer, warning } = await askBeside(session, 'btw', messages, onEvent);
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
  const asked = task(answerAside, { question, messages }, withoutAside);
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

// The setting titles=model: a title that the model writes.

/** UTF-16 units of the prompt, and of the answer, that the model reads. */
const readLength = 1000;

const instruction =
  'Write a title for the conversation that begins with this prompt and answer: at most six words, in the language of the prompt, plain text. Reply with the title alone.';

const partOf = (name: string, text: string) =>
  `<${name}>\n${text.trim().slice(0, readLength)}\n</${name}>`;

/** The title in what a model wrote: its first line with words, without Markdown, quotes and a label; may be empty. */
export function titleIn(text: string): string {
  const lines = sanitize(text).split(/[\r\n]+/);
  const plain = lines.map((line) =>
    line
      .replace(/^\s*(?:#+|[-*>])\s+/, '')
      .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/\*+|`+|~~|["“”„«»]|\b_+|_+\b/g, '')
      .replace(/^\s*(?:title|titel|titre)\s*:/i, '')
      .trim()
      .replace(/^['‘‚](.*)['’‘]$/, '$1')
      .replace(/[.。]+$/, ''),
  );
  return titleFrom(plain.find((line) => /[\p{L}\p{N}\p{Emoji}]/u.test(line)) ?? '');
}

/** Asks for a title after the first complete answer of a conversation, if the setting says so. */
export function titleIfNeeded(state: ReplState): Update {
  const { title, turns } = state.conversation;
  const answers = [...turns.values()].filter(
    (turn) => isAnswer(turn) && turn.incomplete !== true && turn.failure === undefined,
  );
  const isFirst = title === undefined && answers.length === 1;
  return isFirst ? step(state, task(askTitle, undefined)) : step(state);
}

/** Keeps a title, unless there is one by then. A failure is only in the debug log: the first words are the title then. */
async function askTitle(session: Session): Promise<void> {
  const { presentation, settings } = session;
  if (settings.values.titles !== 'model' || !session.isStored()) return;
  const journal = session.journal();
  const { prompt, answer } = lastPrompt(pathOf(journal.conversation())) ?? {};
  if (prompt === undefined || answer === undefined) return;
  const words = splitPrompt(prompt.content).prompt.trim() || prompt.content;
  const parts = [instruction, partOf('prompt', words), partOf('answer', textOf(answer))];
  const messages = [{ role: 'user', content: parts.join('\n\n') }] as const;
  const { answer: reply } = await askBeside(session, 'title', messages);
  const { received, metadata, error } = reply;
  if (error !== undefined) return presentation.debugLog(`no title: ${toFailure(error).message}`);
  const title = metadata.finishReason === 'length' ? '' : titleIn(received);
  if (title === '') return presentation.debugLog('no title: the answer has none');
  if (journal !== session.journal() || journal.conversation().title !== undefined) return;
  journal.set({ title });
  updateConversation(session);
}
