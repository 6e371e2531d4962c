import { Failure } from '../../failure.ts';
import type { Context } from '../../run.ts';
import type { ChatOptions } from './chat-run.ts';
import { runEvery } from './every-run.ts';
import { chat } from './run.ts';

/** Options that make sense only for a single answer. */
const oneShot = [
  'json',
  'jsonl',
  'raw',
  'plain',
  'markdown',
  'dryRun',
  'schema',
  'select',
] as const;

/**
 * Whether the chat command opens the REPL: with `--interactive`, or on a terminal without a prompt.
 * @throws Failure `usage` for `--interactive` without a terminal
 */
export function wantsRepl(
  { streams }: Context,
  words: readonly string[],
  options: ChatOptions,
): boolean {
  const isTerminal = streams.stdin.isTerminal && streams.stdout.isTerminal;
  if (options.interactive === true) {
    if (isTerminal) return true;
    throw new Failure('usage', '--interactive needs a terminal for input and output', {
      hint: 'omit it for a single answer',
    });
  }
  const isOneShot = words.length > 0 || oneShot.some((name) => options[name] !== undefined);
  return isTerminal && options.input && !isOneShot;
}

/** Runs `natter chat`. @throws Failure, or the reason `context.signal` was aborted with */
export async function startChat(
  context: Context,
  options: ChatOptions,
  words: readonly string[],
): Promise<void> {
  if (wantsRepl(context, words, options)) {
    const { runRepl } = await import('../../repl/run.ts');
    await runRepl(context, options, words);
    return;
  }
  const isAlone = options.resume === true && words.length === 0 && options.file === undefined;
  if (isAlone && context.streams.stdin.isTerminal) {
    throw new Failure('usage', '--resume alone lists conversations, which needs a terminal', {
      hint: '‹natter conversations› lists them; ‹natter --resume ID "and at sunset?"› continues one',
    });
  }
  if (options.every !== undefined) return runEvery(context, options, words);
  if (options.split === undefined) return chat(context, options, words);
  // It sends several requests at a time, with undici.
  const { runSplit } = await import('./split-run.ts');
  return runSplit(context, options, words);
}
