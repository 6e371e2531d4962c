import { Command, Option } from 'commander';
import {
  addOptionGroups,
  type OptionGroup,
  settingOption,
  jsonLinesOption,
  plainOption,
  conversationOptions,
  inputOptions,
  messageOptions,
  requestOptions,
  checkGroup,
  checkOptions,
  extractOption,
} from '../../cli/options.ts';
import { isNamedPrompt } from '../../cli/command-line.ts';
import type { StartedRun } from '../../run.ts';
import { confirmMistakenCommand } from '../../cli/guess.ts';
import { setAction, setExamples } from '../../cli/help-details.ts';
import type { ChatOptions } from './run.ts';

const outputOptions = () => [
  extractOption(),
  new Option('--json', 'print one JSON document at the end; content is the answer'),
  jsonLinesOption(),
  plainOption(),
  new Option('--markdown', 'print styled Markdown into a pipe too'),
  settingOption('thinkTags'),
  settingOption('wrap'),
  settingOption('theme'),
  new Option('--raw', 'print exactly the bytes of the answer, on a terminal too (unsafe there)'),
  new Option('--reasoning', 'show reasoning: on standard error, dim in a conversation'),
  new Option('--dry-run', 'print the request and the source of each setting; send nothing'),
];

/** Options of a prompt that is sent once. @param alone what `--resume` without a conversation and a prompt does */
export const promptGroups = (alone: string, input: readonly Option[]): readonly OptionGroup[] => [
  [
    'Request options:',
    [
      settingOption('model', '-m'),
      settingOption('fallback'),
      ...requestOptions(),
      ...messageOptions(),
    ],
  ],
  ['Conversation options:', conversationOptions(alone)],
  ['Input options:', input],
  ['Output options:', outputOptions()],
  [checkGroup, checkOptions()],
];

/** Options for a conversation, or for the events of one answer; several requests have neither. */
const ofConversation = ['jsonl', 'continue', 'resume', 'branch', 'conversation'];

export function buildChat(): Command {
  const command = new Command('chat')
    .argument('[prompt...]', 'prompt; {{stdin}} is replaced by standard input')
    .summary('send one prompt and print the answer')
    .description('Sends a prompt, with piped standard input after it, and prints the answer.');
  const input = [
    new Option('-i, --interactive', 'open a conversation, even when a prompt is given'),
    new Option(
      '--screen-reader, --accessible',
      'plain labelled lines, for screen readers [NATTER_ACCESSIBLE]',
    ),
    ...inputOptions(),
    new Option(
      '--every <sizes>',
      'answer standard input in groups as it arrives: 200l, 30s, 64kb, or 200l,30s',
    ).conflicts(['dryRun', 'split', ...ofConversation]),
    new Option(
      '--split <border>',
      'send a text that does not fit in pieces, and combine the answers: auto, lines or paragraphs',
    )
      .choices(['auto', 'lines', 'paragraphs'])
      .conflicts(ofConversation),
  ];
  addOptionGroups(command, promptGroups('; alone, choose one from a list', input));
  setExamples(command, [
    'natter "why is the sky blue?"',
    'natter -c "and at sunset?"',
    'git diff | natter "review this"',
    'natter -f notes.md -f "**/*.txt" "what is missing?"',
    'natter --split auto -f notes.md "which decisions were made?"',
    'tail notes.md | natter --every 200l,30s "flag anomalies"',
    'natter --fallback nextgen,local:llama3 "why is the sky blue?"',
    'natter -m nextgen --json "three names for a cat" | jq -r .content',
    'natter --schema "name, age int" "invent a person" | jq .age',
    'natter --sandbox "try me without a key"',
  ]);
  return setAction(command, async () => {
    const { startChat } = await import('./run.ts');
    return async (run: StartedRun<ChatOptions>, words: readonly string[]) => {
      const program = command.parent ?? command;
      const options = { ...run.options, isPrompt: isNamedPrompt(program.args, words) };
      const named = { ...run, options };
      await confirmMistakenCommand(named, program, words);
      await startChat(named, words);
    };
  });
}
