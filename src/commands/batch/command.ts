import { Command, Option } from 'commander';
import { inputFormats } from '../../batch/input/input-format.ts';
import { addOptionGroups, collect } from '../program/global-options.ts';
import type { Context, Run } from '../program/context.ts';
import { hideParentOptions, hideServiceOptions, setExamples } from '../program/help-format.ts';
import { settingOption } from '../program/setting-option.ts';
import type { BatchOptions, MergeOptions } from './options.ts';

/** The work of the batch commands. */
export interface RunBatch {
  readonly batch: Run<BatchOptions, [file: string | undefined]>;
  readonly merge: Run<MergeOptions, [pieces: readonly string[]]>;
}

const runBatch: RunBatch = {
  batch: async (...words) => (await import('./run.ts')).runBatch(...words),
  merge: async (...words) => (await import('./merge-run.ts')).mergeBatch(...words),
};

const inputOptions = () => [
  new Option(
    '--format <format>',
    'how the input is written: lines, jsonl, csv or tsv; default: as its name says, or its first line',
  ).choices(inputFormats),
  new Option('--template <text>', 'make prompts of a table or JSON: "… {{column}} …"'),
  new Option('--shard <i/n>', 'take every n-th item only, beginning with the i-th'),
];

const requestOptions = () => [
  settingOption('model', '-m'),
  settingOption('system', '-s'),
  settingOption('maxTokens', '-t'),
  new Option('--param <key=json>', 'add a field to each request body; repeatable').argParser(
    collect,
  ),
  new Option('--no-stream', 'ask for whole answers at once'),
  new Option('--concurrency <n>', 'most items asked at the same time, default 4').default('4'),
  new Option('--retry-incomplete <n>', 'ask so often again after a cut answer, default 0').default(
    '0',
  ),
];

const outputOptions = () => [
  new Option('-o, --output <file>', 'keep results there; the same command goes on from there'),
  new Option('--unordered', 'results as they come, not in the order of the input'),
  new Option('--dry-run', 'print the requests as JSON lines; send nothing'),
];

const mergeOptions = () => [
  new Option('-o, --output <file>', 'file to write, instead of standard output'),
  new Option('--force', 'replace a file that is there'),
];

function buildMerge(context: Context, run: RunBatch): Command {
  const merge = new Command('merge')
    .argument('<pieces...>', 'files of results')
    .summary('put the results of shards together')
    .description(
      'Puts files of results together, in the order of the input, and tells which items are missing.',
    );
  addOptionGroups(merge, [['Output options:', mergeOptions()]]);
  merge.action((pieces: string[]) => run.merge(context, merge.optsWithGlobals(), pieces));
  hideServiceOptions(merge);
  hideParentOptions(merge);
  return setExamples(merge, ['natter batch merge piece-*.jsonl -o all.jsonl']);
}

/** `natter batch [file]`: asks each item of an input; `natter batch merge` puts results together. */
export function buildBatch(context: Context, run: RunBatch = runBatch): Command {
  const command = new Command('batch')
    .argument('[file]', 'prompts; - or nothing: standard input')
    .description(
      'Asks each prompt of a file: one a line, JSON lines ({"prompt": …} or {"messages": …}), or a table with a header. The results are JSON lines.',
    );
  addOptionGroups(command, [
    ['Input options:', inputOptions()],
    ['Request options:', requestOptions()],
    ['Output options:', outputOptions()],
  ]);
  command.addCommand(buildMerge(context, run));
  setExamples(command, [
    'natter batch prompts.txt -o answers.jsonl',
    'natter batch reviews.csv --template "Sum up: {{text}}" -o sums.jsonl',
    'natter batch prompts.jsonl --shard 1/4 -o piece-1.jsonl',
    'natter batch prompts.jsonl --dry-run | head -n 1 | jq .request.body',
    'natter batch prompts.txt | jq -r .content',
  ]);
  return command.action((file: string | undefined) =>
    run.batch(context, command.optsWithGlobals(), file),
  );
}
