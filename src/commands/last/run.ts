import { listEntries } from '../../conversation/library/library.ts';
import { loadConversation } from '../../conversation/library/read-conversation.ts';
import { isAnswer, pathOf, type Turn } from '../../conversation/tree.ts';
import { Failure } from '../../failure.ts';
import { countOf } from '../../output/figures.ts';
import { receivedAnswer, refusalNotice, type Notices } from '../../output/notices.ts';
import type { Action, Context, GlobalOptions } from '../../run.ts';
import { withValues } from '../../settings/resolved-settings.ts';
import { dataFolder, readConversation } from '../../ask/open-conversation.ts';
import { printMarkdown, settingsForStored } from '../../output/answer-printer.ts';

async function codeBlock(answer: string, which: string, block: string): Promise<string> {
  if (!/^-?[1-9]\d{0,5}$/.test(block)) {
    const text = `--block must be 1 or more, or -1 for the last block, not "${block}"`;
    throw new Failure('usage', text);
  }
  const { codeBlocks } = await import('../../conversation/code-blocks.ts');
  const blocks = codeBlocks(answer);
  const found = blocks.at(Number(block) - (Number(block) > 0 ? 1 : 0));
  if (found !== undefined) return found.code;
  const count = countOf(blocks.length, 'code block');
  const text = blocks.length === 0 ? 'has no code block' : `has ${count}, not ${block}`;
  throw new Failure('not_found', `${which} ${text}`);
}

/** A failed prompt makes the latest conversation one without an answer. @throws Failure `not_found` */
function findAnswers(context: Context, notices: Notices, name: string): readonly Turn[] {
  const conversation = readConversation(context, notices, name);
  const own = pathOf(conversation).filter(isAnswer);
  if (own.length > 0) return own;
  const problem = `conversation ${conversation.id} has no answer`;
  for (const { id, path } of name === 'latest' ? listEntries(dataFolder(context)) : []) {
    const found = pathOf(loadConversation(path, id).fold.conversation()).filter(isAnswer);
    if (found.length === 0) continue;
    notices.notice(`${problem}; this answer is from conversation ${id}`);
    return found;
  }
  throw new Failure('not_found', problem, { hint: '‹natter conversations list› shows all' });
}

interface LastOptions extends GlobalOptions {
  /** Number of the answer, from the end, unparsed. */
  readonly answer?: string;
  /** Number of a code block, unparsed. */
  readonly block?: string;
  /** See `CheckOptions`. */
  readonly extract?: string;
  readonly plain?: boolean;
}

/** Runs `natter last`. @throws Failure `not_found` without an answer or that code block, `mismatch` with `--extract` */
export const printLast: Action<LastOptions, [name: string]> = async (run, name) => {
  const { context, options, presentation } = run;
  const { answer: number = '1' } = options;
  if (!/^[1-9]\d{0,5}$/.test(number)) {
    throw new Failure('usage', `--answer must be 1 or more, not "${number}"`);
  }
  const answers = findAnswers(context, presentation.notices, name);
  const answer = answers.at(-Number(number));
  if (answer === undefined) {
    const text = `this conversation has ${countOf(answers.length, 'answer')}, not ${number}`;
    throw new Failure('not_found', text);
  }
  const { content, refusal } = answer;
  if (refusal !== undefined) presentation.notices.warning(refusalNotice(refusal));
  if (answer.incomplete === true) presentation.notices.notice('this answer is incomplete');
  const { block, extract } = options;
  const which = number === '1' ? 'the last answer' : `answer ${number}`;
  let text = content;
  if (extract !== undefined) {
    const { extractBlock, parseExtract } = await import('../../conversation/code-blocks.ts');
    const found = extractBlock(content, parseExtract(extract));
    if (typeof found === 'string') {
      // The answer is on standard error, as after a prompt.
      void context.streams.stderr.write(receivedAnswer(content));
      throw new Failure('mismatch', `${which} ${found}`);
    }
    text = found.code;
  } else if (block !== undefined) text = await codeBlock(content, which, block);
  else if (content === '') return;
  else if (options.plain !== true) {
    const settings = settingsForStored(context, presentation, options);
    const unwrapped = settings && withValues(settings, { wrap: 'none' });
    await printMarkdown(context, presentation, [content], {}, unwrapped);
    return;
  }
  await printMarkdown(context, presentation, [text], { plain: true });
};
