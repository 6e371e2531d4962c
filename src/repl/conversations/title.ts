// The setting titles=model: a title that the model writes.
import { splitPrompt } from '../../conversation/compose-prompt.ts';
import { isAnswer, pathOf, textOf, titleFrom } from '../../conversation/tree.ts';
import { toFailure } from '../../output/ending-failure.ts';
import { sanitize } from '../../terminal/safety/sanitizer.ts';
import { askBeside } from '../answers/aside.ts';
import type { Session } from '../session.ts';
import type { ReplState, Update } from '../state.ts';
import { step, task } from '../step.ts';
import { lastPrompt, updateConversation } from './position.ts';

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
  const { answer: reply } = await askBeside(session, messages, {
    settings: session.state().settings,
    command: 'title',
    signal: session.begin('title'),
  });
  const { received, metadata, error } = reply;
  if (error !== undefined) return presentation.debugLog(`no title: ${toFailure(error).message}`);
  const title = metadata.finishReason === 'length' ? '' : titleIn(received);
  if (title === '') return presentation.debugLog('no title: the answer has none');
  if (journal !== session.journal() || journal.conversation().title !== undefined) return;
  journal.set({ title });
  updateConversation(session);
}
