import { Command } from 'commander';
import { addGlobalOptions } from '../../src/cli/global-options.ts';

/**
 * Parses words with one command below natter. `build` gets an object whose every function records its call.
 * @returns the name of the called function and its arguments after the context
 */
export async function parseWords(
  build: (runs: never) => Command,
  words: string,
): Promise<readonly unknown[]> {
  let ran: readonly unknown[] = ['nothing'];
  const record =
    (name: string | symbol) =>
    async (_context: unknown, ...values: unknown[]) => {
      ran = [name, ...values];
    };
  const runs = new Proxy({}, { get: (_target, name) => record(name) });
  const program = new Command('natter');
  addGlobalOptions(program);
  program.addCommand(build(runs as never), { isDefault: true });
  await program.parseAsync(words.split(' '), { from: 'user' });
  return ran;
}

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
