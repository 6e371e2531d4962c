import { Failure } from '../../failure.ts';
import type { ChatOptions } from './options.ts';
import type { Context } from '../program/context.ts';

/** These ask for one answer in a certain form. */
const oneShot = ['json', 'jsonl', 'raw', 'plain', 'markdown', 'dryRun'] as const;

/**
 * Whether the chat command opens the REPL: asked for, or on a terminal with no prompt to answer.
 * @throws Failure of kind `usage` where it is asked for without a terminal
 */
export function wantsRepl(
  { streams }: Pick<Context, 'streams'>,
  words: readonly string[],
  options: ChatOptions,
): boolean {
  const isTerminal = streams.stdin.isTerminal && streams.stdout.isTerminal;
  if (options.interactive === true) {
    if (isTerminal) return true;
    throw new Failure('usage', '--interactive needs a terminal to read from and write to', {
      hint: 'leave it out to get one answer',
    });
  }
  const asksOnce = words.length > 0 || oneShot.some((name) => options[name] === true);
  return isTerminal && options.input && !asksOnce;
}
