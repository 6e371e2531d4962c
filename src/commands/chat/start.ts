import type { ChatOptions } from './options.ts';
import { mayBeCommand } from './may-be-command.ts';
import { wantsRepl } from './wants-repl.ts';
import type { Run } from '../program/run.ts';

export type RunChat = Run<ChatOptions, [words: readonly string[]]>;

/** Runs the chat command: once, or as a conversation. */
export const runChat: RunChat = async (context, options, words) => {
  if (wantsRepl(context, words, options)) {
    const { runRepl } = await import('../repl/run.ts');
    await runRepl(context, options, words);
    return;
  }
  if (mayBeCommand(words, options)) {
    const { questionMistakenCommand } = await import('./mistaken-command.ts');
    await questionMistakenCommand(context, options, words);
  }
  const { chat } = await import('./run.ts');
  await chat(context, options, words);
};
