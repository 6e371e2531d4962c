import { Failure } from '../failure.ts';
import type { ChatOptions } from './chat.ts';
import { nearlyNamedCommand } from './command-line.ts';
import { commandWords } from './command-table.ts';
import type { Context } from './context.ts';

/** Commands a lone word may have been meant as. */
const commandNames = ['chat', ...commandWords];

/**
 * A lone word that nearly names a command (`natter modles`) is questioned where a person can answer; in a pipe
 * or script it is a prompt like any other.
 * @throws Failure of kind `usage` when it is not to be sent
 */
export async function questionLoneWord(
  context: Context,
  words: readonly string[],
  options: Pick<ChatOptions, 'input'>,
): Promise<void> {
  const { stdin, stderr } = context.streams;
  if (!stdin.isTerminal || !stderr.isTerminal) return;
  const meant = nearlyNamedCommand(words, commandNames);
  if (meant === undefined) return;
  const [word] = words;
  if (options.input) {
    const question = `natter: "${word}" is close to the command "${meant}". Send it as a prompt? [y/N] `;
    const reply = await context.ask(question, { signal: context.signal });
    if (/^y(es)?$/i.test(reply.trim())) return;
  }
  throw new Failure('usage', `"${word}" was not sent`, {
    hint: `did you mean natter ${meant}? To send it: natter -- ${word}`,
  });
}
