import { Command } from 'commander';
import type { Context, Action } from '../../run.ts';
import { setExamples } from '../program/help-details.ts';
import type { LastOptions } from './run.ts';

export type RunLast = Action<LastOptions, [name: string]>;

const runLast: RunLast = async (context, options, name) => {
  const { printLast } = await import('./run.ts');
  await printLast(context, options, name);
};

export function buildLast(context: Context, run: RunLast = runLast): Command {
  const last = new Command('last')
    .argument(
      '[conversation]',
      'an id or its prefix, a title, or latest (default: latest)',
      'latest',
    )
    .description('Prints the last answer of a conversation or one of its code blocks.')
    .option('-b, --block <number>', 'print only this code block: 1 is the first, -1 the last')
    .option('--plain', 'print plain text on a terminal too');
  last.action((name: string) => run(context, last.optsWithGlobals(), name));
  return setExamples(last, ['natter last', 'natter last --block 1 > script.sh']);
}
