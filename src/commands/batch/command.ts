import { Command, Option } from 'commander';
import { inputFormats } from '../../batch/input/input-format.ts';
import { addOptionGroups, collect, settingOption } from '../program/global-options.ts';
import type { Context, Run } from '../program/context.ts';
import { hideParentOptions, hideServiceOptions, setExamples } from '../program/help-details.ts';
import type { MergeOptions } from './merge-run.ts';
import { type BatchOptions, outputFormats } from './plan.ts';
import { buildQueueCommands, runQueue, type RunQueue } from './queue/commands.ts';

export interface RunBatch extends RunQueue {
  readonly batch: Run<BatchOptions, [file: string | undefined]>;
  readonly merge: Run<MergeOptions, [files: readonly string[]]>;
}

const runBatch: RunBatch = {
  batch: async (...words) => (await import('./run.ts')).runBatch(...words),
  merge: async (...words) => (await import('./merge-run.ts')).mergeBatch(...words),
  ...runQueue,
};

const inputOptions = () => [
  new Option(
    '--format <format>',
    'input format: lines, jsonl, csv or tsv (default: from the file name or first line)',
  ).choices(inputFormats),
  new Option('--template <text>', 'build prompts from columns or JSON fields: "… {{column}} …"'),
  new Option(
    '--shard <i/n>',
    'only every n-th item, starting at the i-th; auto: as this array job of a scheduler',
  ),
  new Option('--limit <n>', 'only the first n items of the input'),
  new Option('--sample <n>', 'only n items, chosen at random but always the same').conflicts(
    'limit',
  ),
  new Option('--seed <n>', 'choose a different sample, default 0').default('0'),
];

const promptOptions = () => [
  settingOption('model', '-m'),
  settingOption('system', '-s'),
  settingOption('maxTokens', '-t'),
  new Option('--param <key=json>', 'add a field to each request body; repeatable').argParser(
    collect,
  ),
  new Option('--no-stream', 'do not stream answers'),
];

const sendingOptions = () => [
  new Option('--concurrency <n>', 'maximum concurrent requests, default 4').default('4'),
  new Option('--retry-incomplete <n>', 'retries after a cut answer, default 0').default('0'),
];

const limitOptions = () => [
  new Option('--rerun-failed <n>', 'send failed items again, at most n times; default 0').default(
    '0',
  ),
  new Option('--max-total-tokens <n>', 'stop before the run uses more tokens'),
  new Option('--max-cost <amount>', 'stop before the run costs more (natter config set prices…)'),
];

const runOptions = () => [
  new Option(
    '--stop-after <duration>',
    'start no more items after this time, as before the time limit of a job',
  ),
];

const outputOptions = () => [
  new Option('-o, --output <file>', 'results file; run the same command again to resume'),
  new Option(
    '--output-format <format>',
    'format of the results: jsonl, openai or csv; default jsonl',
  )
    .choices(outputFormats)
    .default('jsonl'),
  new Option('--answer-column <name>', 'column for the answers in CSV, default answer').default(
    'answer',
  ),
  new Option('--unordered', 'print results as they arrive, not in input order'),
  new Option('--dry-run', 'print the requests as JSON lines; send nothing'),
];

const reportOptions = () => [
  new Option('--figures', 'show times and causes at the end where there is no terminal, too'),
  new Option('--progress-json', 'print progress as JSON lines on standard error every 10 seconds'),
  new Option('--summary <file>', 'write a summary of the run as JSON to this file'),
];

const mergeOptions = () => [
  new Option('-o, --output <file>', 'file to write (default: standard output)'),
  new Option('--force', 'replace an existing file'),
];

function buildMerge(context: Context, run: RunBatch): Command {
  const merge = new Command('merge')
    .argument('<files...>', 'results files of the shards')
    .summary('merge the results of shards')
    .description('Merges results files in input order and reports missing items.');
  addOptionGroups(merge, [['Output options:', mergeOptions()]]);
  merge.action((files: string[]) => run.merge(context, merge.optsWithGlobals(), files));
  hideServiceOptions(merge);
  hideParentOptions(merge);
  return setExamples(merge, ['natter batch merge piece-*.jsonl -o all.jsonl']);
}

export function buildBatch(context: Context, run: RunBatch = runBatch): Command {
  const command = new Command('batch')
    .argument('[file]', 'prompts; default or -: standard input')
    .description(
      'Sends each prompt of a file: one per line, JSON lines ({"prompt": …} or {"messages": …}), or a table with a header. Writes the results as JSON lines.',
    );
  addOptionGroups(command, [
    ['Input options:', inputOptions()],
    ['Request options:', [...promptOptions(), ...sendingOptions(), ...limitOptions()]],
    ['Run options:', runOptions()],
    ['Output options:', outputOptions()],
    ['Report options:', reportOptions()],
  ]);
  command.addCommand(buildMerge(context, run));
  const groups = {
    input: inputOptions,
    prompt: promptOptions,
    sending: sendingOptions,
    run: runOptions,
  };
  for (const queueCommand of buildQueueCommands(context, run, groups)) {
    command.addCommand(queueCommand);
  }
  setExamples(command, [
    'natter batch prompts.txt -o answers.jsonl',
    'natter batch reviews.csv --template "Summarize: {{text}}" -o sums.jsonl',
    'natter batch prompts.jsonl --shard 1/4 -o piece-1.jsonl',
    'natter batch prompts.jsonl --dry-run | head -n 1 | jq .request.body',
    'natter batch prompts.txt | jq -r .content',
  ]);
  return command.action((file: string | undefined) =>
    run.batch(context, command.optsWithGlobals(), file),
  );
}
