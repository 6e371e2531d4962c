import { listEntries } from '../../conversation/library/library.ts';
import { loadConversation } from '../../conversation/library/read-conversation.ts';
import { pathOf, textOf, type Conversation, type Turn } from '../../conversation/tree.ts';
import { Failure } from '../../failure.ts';
import { countOf } from '../../output/figures.ts';
import { receivedAnswer, refusalNotice, type Notices } from '../../output/notices.ts';
import { type Context, type GlobalOptions, present } from '../../run.ts';
import { dataFolder, readConversation } from '../../ask/open-conversation.ts';
import { printMarkdown, settingsForStored } from '../../output/answer-printer.ts';

async function codeBlock(answer: string, block: string): Promise<string> {
  const number = /^-?[1-9]\d{0,5}$/.test(block) ? Number(block) : undefined;
  if (number === undefined) {
    const text = `--block must be 1 or more, or -1 for the last block, not "${block}"`;
    throw new Failure('usage', text);
  }
  const { codeBlocks } = await import('../../conversation/code-blocks.ts');
  const blocks = codeBlocks(answer);
  const found = blocks.at(number > 0 ? number - 1 : number);
  if (found !== undefined) return found.code;
  if (blocks.length === 0) throw new Failure('not_found', 'the last answer has no code block');
  const text = `the last answer has ${countOf(blocks.length, 'code block')}, not ${block}`;
  throw new Failure('not_found', text);
}

/** @throws Failure `mismatch` without the block; the answer is on standard error then, as after a prompt */
async function extractedCode({ streams }: Context, answer: string, value: string): Promise<string> {
  const { extractBlock, parseExtract } = await import('../../conversation/code-blocks.ts');
  const found = extractBlock(answer, parseExtract(value));
  if (typeof found !== 'string') return found.code;
  void streams.stderr.write(receivedAnswer(answer));
  throw new Failure('mismatch', `the last answer ${found}`);
}

const answerOf = (conversation: Conversation): Turn | undefined =>
  pathOf(conversation).findLast((turn) => turn.role === 'assistant' && textOf(turn) !== '');

/** A failed prompt makes the latest conversation one without an answer. @throws Failure `not_found` */
function findAnswer(context: Context, notices: Notices, name: string): Turn {
  const conversation = readConversation(context, notices, name);
  const own = answerOf(conversation);
  if (own !== undefined) return own;
  const problem = `conversation ${conversation.id} has no answer`;
  for (const { id, path } of name === 'latest' ? listEntries(dataFolder(context)) : []) {
    const found = answerOf(loadConversation(path, id).fold.conversation());
    if (found === undefined) continue;
    notices.notice(`${problem}; this is the last answer of conversation ${id}`);
    return found;
  }
  throw new Failure('not_found', problem, {
    hint: '‹natter conversations list› shows all conversations',
  });
}

/** Runs `natter last`. @throws Failure `not_found` without an answer or that code block, `mismatch` with `--extract` */
export async function printLast(
  context: Context,
  options: GlobalOptions & {
    /** Number of a code block, unparsed. */
    readonly block?: string;
    /** See `CheckOptions`. */
    readonly extract?: string;
    readonly plain?: boolean;
  },
  name: string,
): Promise<void> {
  const presentation = await present(context, options);
  const answer = findAnswer(context, presentation.notices, name);
  const { content, refusal } = answer;
  if (refusal !== undefined) presentation.notices.warning(refusalNotice(refusal));
  if (answer.incomplete === true) presentation.notices.notice('this answer is incomplete');
  const { block, extract } = options;
  if (extract !== undefined) {
    const code = await extractedCode(context, content, extract);
    return printMarkdown(context, presentation, code, { plain: true });
  }
  if (block === undefined) {
    if (content === '') return;
    const plain = options.plain === true;
    const settings = plain ? undefined : settingsForStored(context, presentation, options);
    const unwrapped = settings && {
      ...settings,
      values: { ...settings.values, wrap: 'none' as const },
    };
    await printMarkdown(context, presentation, content, { plain }, unwrapped);
    return;
  }
  const text = await codeBlock(content, block);
  await printMarkdown(context, presentation, text, { plain: true });
}
