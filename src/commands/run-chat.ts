import type { ChatOptions } from './chat.ts';
import type { Context } from './context.ts';
import { mayBeCommand } from './may-be-command.ts';
import { wantsRepl } from './wants-repl.ts';

export type RunChat = (
  context: Context,
  words: readonly string[],
  options: ChatOptions,
) => Promise<void>;

/** Runs the chat command: once, or as a conversation. */
export const runChat: RunChat = async (context, words, options) => {
  if (wantsRepl(context, words, options)) {
    const { runRepl } = await import('./repl-run.ts');
    await runRepl(context, words, options);
    return;
  }
  if (mayBeCommand(words, options)) {
    const { questionMistakenCommand } = await import('./mistaken-command.ts');
    await questionMistakenCommand(context, words, options);
  }
  const { chat } = await import('./chat-run.ts');
  await chat(context, words, options);
};
