import { Command } from 'commander';
import { addGlobalOptions } from '../../src/cli/options.ts';

/**
 * Parses words with a command whose actions are replaced by records of their calls.
 * @returns the name and the words of the called command, and its options
 */
export async function parsedBy(
  command: Command,
  words: string,
): Promise<readonly [words: string, options: object]> {
  let ran: readonly [string, object] = ['nothing', {}];
  for (const one of [command, ...command.commands]) {
    one.action(async () => {
      ran = [[one.name(), ...one.args].join(' '), one.optsWithGlobals()];
    });
  }
  const program = new Command('natter');
  addGlobalOptions(program);
  program.addCommand(command, { isDefault: true });
  await program.parseAsync(words.split(' '), { from: 'user' });
  return ran;
}
