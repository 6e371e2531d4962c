import { pathOf, textOf } from '../../conversation/tree.ts';
import { refusalNotice } from '../../output/notices.ts';
import { Failure } from '../../failure.ts';
import { readConversation } from '../journal/library-access.ts';
import { present } from '../print/presentation.ts';
import { printMarkdown } from '../print/answer-output.ts';
import type { Context } from '../program/context.ts';
import type { GlobalOptions } from '../program/global-options.ts';

export interface LastOptions extends GlobalOptions {
  /** Number of a code block, unparsed. */
  readonly block?: string;
  readonly plain?: boolean;
}

async function codeBlock(answer: string, block: string): Promise<string> {
  const number = /^-?[1-9]\d{0,5}$/.test(block) ? Number(block) : undefined;
  if (number === undefined) {
    throw new Failure(
      'usage',
      `--block must be 1 or more, or -1 for the last block, not "${block}"`,
    );
  }
  const { codeBlocks } = await import('../../conversation/code-blocks.ts');
  const blocks = codeBlocks(answer);
  const found = blocks.at(number > 0 ? number - 1 : number);
  if (found !== undefined) return `${found}\n`;
  if (blocks.length === 0) throw new Failure('not_found', 'the last answer has no code block');
  const count = blocks.length === 1 ? '1 code block' : `${blocks.length} code blocks`;
  throw new Failure('not_found', `the last answer has ${count}, not ${block}`);
}

/** Runs `natter last`. @throws Failure `not_found` without an answer or that code block */
export async function printLast(
  context: Context,
  options: LastOptions,
  name: string,
): Promise<void> {
  const presentation = await present(context, options);
  const conversation = readConversation(context, presentation.notices, name);
  const answer = pathOf(conversation).findLast(
    (turn) => turn.role === 'assistant' && textOf(turn) !== '',
  );
  if (answer === undefined) {
    throw new Failure('not_found', `conversation ${conversation.id} has no answer`);
  }
  const { content, refusal } = answer;
  if (refusal !== undefined) presentation.notices.warning(refusalNotice(refusal));
  if (answer.incomplete === true) presentation.notices.notice('this answer is incomplete');
  if (options.block === undefined) {
    if (content === '') return;
    await printMarkdown(context, presentation, content, { plain: options.plain === true });
    return;
  }
  const text = await codeBlock(content, options.block);
  await printMarkdown(context, presentation, text, { plain: true });
}
