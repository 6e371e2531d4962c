import { Command, Option } from 'commander';
import { jsonOption } from '../../cli/options.ts';
import { setAction, setExamples, helpOf } from '../../cli/help-details.ts';

export function buildUsage(): Command {
  const command = new Command('usage')
    .summary('show requests, tokens and cost')
    .description(
      'Shows requests, tokens and cost by local day, model, profile or command. natter keeps a ledger: a line for each request, without text, titles, paths, addresses or keys, in the folder that natter config paths usage prints. natter config set ledger false turns it off. --profile shows one profile, --sandbox the requests to the sandbox.',
    );
  command
    .addOption(
      new Option(
        '--since <time>',
        'only requests since then: 7d (with today), 12h, 2w, today, 2026-11-01 or 2026-11; default 30d',
      ).default('30d'),
    )
    .addOption(
      new Option('--by <what>', 'one row for each: day, model, profile or command; default day')
        .choices(['day', 'model', 'profile', 'command'])
        .default('day'),
    )
    .addOption(jsonOption());
  setAction(command, async () => (await import('./run.ts')).showUsage);
  helpOf(command).list = {
    heading: 'Stored for each request:',
    rows: [
      { term: 'time', description: 'when the request ended, in UTC' },
      {
        term: 'command',
        description:
          'chat, chat --every, chat --split, run, repl (a conversation), compact (its summaries), title, compare, batch, batch work, shell-init or doctor',
      },
      { term: 'profile, model', description: 'names, as in the settings and the request' },
      {
        term: 'tokens',
        description: 'of the prompt and of the answer, as the service reported them',
      },
      { term: 'ms, attempts', description: 'how long it took, and the requests sent with retries' },
      { term: 'outcome', description: 'answered, stopped, or the kind of the failure' },
      {
        term: 'conversation',
        description: 'the id of a saved conversation, or of a run of a batch',
      },
    ],
  };
  return setExamples(command, [
    'natter usage',
    'natter usage --since 7d --by model',
    'natter usage --since 2026-11 --by profile --json',
  ]);
}
