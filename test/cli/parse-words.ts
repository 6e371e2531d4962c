import { Command } from 'commander';
import { addGlobalOptions } from '../../src/cli/global-options.ts';

/**
 * Parses words with a command whose actions are replaced by records of their calls.
 * @returns the name of the called command, its options and its words
 */
export async function parsedBy(command: Command, words: string): Promise<readonly unknown[]> {
  let ran: readonly unknown[] = ['nothing'];
  for (const one of [command, ...command.commands]) {
    one.action(async () => {
      ran = [one.name(), one.optsWithGlobals(), ...(one.processedArgs as readonly unknown[])];
    });
  }
  const program = new Command('natter');
  addGlobalOptions(program);
  program.addCommand(command, { isDefault: true });
  await program.parseAsync(words.split(' '), { from: 'user' });
  return ran;
}
