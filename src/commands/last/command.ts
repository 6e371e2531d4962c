import { Command } from 'commander';
import type { Context } from '../program/context.ts';
import type { GlobalOptions } from '../program/global-options.ts';
import { setExamples } from '../program/help-format.ts';
import type { Run } from '../program/run.ts';

export interface LastOptions extends GlobalOptions {
  /** Number of a code block, unparsed. */
  readonly block?: string;
  readonly plain?: boolean;
}

export type RunLast = Run<LastOptions, [name: string]>;

const runLast: RunLast = async (context, options, name) => {
  const { printLast } = await import('./run.ts');
  await printLast(context, options, name);
};

/** `natter last [conversation]`. */
export function buildLast(context: Context, run: RunLast = runLast): Command {
  const last = new Command('last')
    .argument('[conversation]', 'an id, a title or latest', 'latest')
    .description('Prints the last answer of a conversation, or a code block of it.')
    .option('-b, --block <number>', 'only this code block, counted from 1; -1 is the last')
    .option('--plain', 'print plain text on a terminal too');
  last.action((name: string) => run(context, last.optsWithGlobals(), name));
  return setExamples(last, ['natter last', 'natter last --block 1 > script.sh']);
}
