import { Command } from 'commander';
import { plainOption, extractOption } from '../../cli/options.ts';
import { setAction, setExamples } from '../../cli/help-details.ts';

export function buildLast(): Command {
  const last = new Command('last')
    .summary('print the last answer or one of its code blocks')
    .argument('[conversation]', 'id or its prefix, title, or latest (default: latest)', 'latest')
    .description('Prints the last answer of a conversation, an earlier one, or a code block.')
    .option('-n, --answer <number>', 'print this answer: 1 is the last one, 2 the one before')
    .option('-b, --block <number>', 'print only this code block: 1 is the first, -1 the last')
    .addOption(extractOption())
    .addOption(plainOption());
  setAction(last, async () => (await import('./run.ts')).printLast);
  return setExamples(last, ['natter last', 'natter last -n 2', 'natter last -b 1 > script.sh']);
}
