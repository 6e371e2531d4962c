import { Command, Option } from 'commander';
import {
  addOptionGroups,
  collect,
  settingOption,
  jsonLinesOption,
  plainOption,
  conversationOptions,
  inputOptions,
  requestOptions,
  checkGroup,
  checkOptions,
} from '../../cli/options.ts';
import { setAction, setExamples } from '../../cli/help-details.ts';

export function buildCompare(): Command {
  const command = new Command('compare')
    .summary('send one prompt to several models and compare the answers')
    .argument('[prompt...]', 'prompt; {{stdin}} is replaced by standard input')
    .description(
      'Sends a prompt to several models at the same time and prints the answers (side by side on a wide terminal), then tokens and times. natter -c continues with the first answer.',
    );
  const models = new Option(
    '-m, --models <ids>',
    'comma-separated models; profile:model uses a different profile; default: the model in use and another one of the service',
  ).argParser(collect);
  addOptionGroups(command, [
    ['Request options:', [models, ...requestOptions()]],
    [checkGroup, checkOptions()],
    ['Conversation options:', conversationOptions()],
    ['Input options:', inputOptions()],
    [
      'Output options:',
      [
        new Option('--diff', 'show a word diff against the first answer').conflicts([
          'json',
          'jsonl',
        ]),
        new Option('--stacked', 'print answers one below the other, even on a wide terminal'),
        plainOption(),
        settingOption('wrap'),
        settingOption('theme'),
        new Option('--json', 'print one JSON document at the end'),
        jsonLinesOption(),
        new Option('--dry-run', 'print the requests and the source of each setting; send nothing'),
      ],
    ],
  ]);
  setExamples(command, [
    'natter compare "why is the sky blue?"',
    'natter compare -m origin,nextgen --diff "name a colour"',
    'natter compare -c "and at sunset?"',
    'git diff | natter compare "review this"',
    'natter compare -m origin,work:nextgen "three names for a cat"',
    'natter compare --json "three names" | jq -r ".answers[].content"',
  ]);
  return setAction(command, async () => (await import('./run.ts')).compare);
}
