import { Command, Option } from 'commander';
import { addOptionGroups, collect } from '../program/global-options.ts';
import type { Context, Run } from '../program/context.ts';
import { setExamples } from '../program/help-format.ts';
import { conversationOptions, inputOptions, requestOptions } from '../prompt/prompt-options.ts';
import type { CompareOptions } from './options.ts';

export type RunCompare = Run<CompareOptions, [words: readonly string[]]>;

const runCompare: RunCompare = async (...words) => {
  const { compare } = await import('./run.ts');
  await compare(...words);
};

const modelOption = () =>
  new Option(
    '-m, --models <ids>',
    'models to ask, with commas between, default origin,nextgen; profile:model asks one of another profile',
  ).argParser(collect);

const outputOptions = () => [
  new Option('--diff', 'show by words how the answers differ from the first'),
  new Option('--stacked', 'one answer below the other on a wide terminal too'),
  new Option('--plain', 'print plain text on a terminal too'),
  new Option('--json', 'print one JSON document when all answers are over'),
  new Option('--jsonl', 'print each event as a JSON line when it comes'),
  new Option('--dry-run', 'print the requests and where each setting came from; send nothing'),
];

/** `natter compare [prompt...]`: several models answer the same prompt at the same time. */
export function buildCompare(context: Context, run: RunCompare = runCompare): Command {
  const command = new Command('compare')
    .argument('[prompt...]', 'what to ask; {{stdin}} in it stands for standard input')
    .description(
      'Sends a prompt to several models at the same time and prints their answers: side by side on a wide terminal, else one below the other, and under them how long each took. The first answer is the one that natter -c goes on with.',
    );
  addOptionGroups(command, [
    ['Request options:', [modelOption(), ...requestOptions()]],
    ['Conversation options:', conversationOptions()],
    ['Input options:', inputOptions()],
    ['Output options:', outputOptions()],
  ]);
  setExamples(command, [
    'natter compare "why is the sky blue?"',
    'natter compare -m origin,nextgen --diff "name a colour"',
    'natter compare -c "and at sunset?"',
    'git diff | natter compare "review this"',
    'natter compare -m origin,work:nextgen "three names for a cat"',
    'natter compare --json "three names" | jq -r ".answers[].content"',
  ]);
  return command.action((words: string[]) => run(context, command.optsWithGlobals(), words));
}
