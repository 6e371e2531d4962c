import { textOf, titleOf, type Conversation } from '../tree.ts';
import { exportedTurns, type ExportOptions } from './exported-turns.ts';

const withLineEnd = (text: string) => (text.endsWith('\n') ? text : `${text}\n`);

/** A Markdown document: the title, then each turn under its speaker; contents are as they came. */
export function exportMarkdown(conversation: Conversation, options: ExportOptions): string {
  const date = conversation.createdAt.toISOString().slice(0, 10);
  const head = `# ${titleOf(conversation) || conversation.id}\n\n_${date}, conversation ${conversation.id}_\n`;
  const turns = exportedTurns(conversation, options).map(({ turn, speaker, remark }) => {
    const note = remark === '' ? '' : ` (${remark})`;
    return `\n## ${speaker}${note}\n\n${withLineEnd(textOf(turn))}`;
  });
  return head + turns.join('');
}
