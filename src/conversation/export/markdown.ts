import { textOf, titleOf, type Conversation } from '../tree.ts';
import { exportedTurns, type ExportOptions } from './exported-turns.ts';

const withLineEnd = (text: string) => (text.endsWith('\n') ? text : `${text}\n`);

/** A Markdown document in pieces: the title, then each turn under its speaker, unchanged. */
export function* exportMarkdown(
  conversation: Conversation,
  options: ExportOptions,
): Generator<string, void> {
  const date = conversation.createdAt.toISOString().slice(0, 10);
  yield `# ${titleOf(conversation) || conversation.id}\n\n_${date}, conversation ${conversation.id}_\n`;
  for (const { turn, speaker, remark } of exportedTurns(conversation, options)) {
    const note = remark === '' ? '' : ` (${remark})`;
    yield `\n## ${speaker}${note}\n\n${withLineEnd(textOf(turn))}`;
  }
}
