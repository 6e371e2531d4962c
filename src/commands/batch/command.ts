import { Command, Option } from 'commander';
import { inputFormats } from '../../batch/input/item.ts';
import type { ExportOptions } from './export-run.ts';
import type { MergeOptions } from './merge-run.ts';
import { type BatchOptions, outputFormats } from './plan.ts';
import { buildQueueCommands, runQueue, type RunQueue } from './queue/commands.ts';
import type { Action, Context } from '../../run.ts';
import { addOptionGroups, collect, settingOption } from '../program/global-options.ts';
import { hideParentOptions, hideServiceOptions, setExamples } from '../program/help-details.ts';
import { checkGroup, checkOptions, schemaOption, selectOption } from '../prompt/check-options.ts';
import { secretOptions, strictOption } from '../prompt/prompt-options.ts';

export interface RunBatch extends RunQueue {
  readonly batch: Action<BatchOptions, [file: string | undefined]>;
  readonly export: Action<ExportOptions, [file: string | undefined]>;
  readonly import: Action<BatchOptions, [file: string, results: readonly string[]]>;
  readonly merge: Action<MergeOptions, [files: readonly string[]]>;
}

const runBatch: RunBatch = {
  batch: async (...words) => (await import('./run.ts')).runBatch(...words),
  export: async (...words) => (await import('./export-run.ts')).exportBatch(...words),
  import: async (...words) => (await import('./import-run.ts')).importBatch(...words),
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

/** The options that make the body of a request. */
const bodyOptions = () => [
  settingOption('model', '-m'),
  settingOption('system', '-s'),
  settingOption('maxTokens', '-t'),
  new Option('--param <key=json>', 'add a field to each request body; repeatable').argParser(
    collect,
  ),
];

const promptOptions = () => [...bodyOptions(), new Option('--no-stream', 'do not stream answers')];

const sendingOptions = () => [
  new Option('--concurrency <n>', 'maximum concurrent requests, default 4').default('4'),
  new Option('--retry-incomplete <n>', 'retries after a cut answer, default 0').default('0'),
  new Option('--keep-going', 'do not stop if the first items all fail alike'),
];

const limitOptions = () => [
  new Option(
    '--rerun-failed <n>',
    'send failed items again, at most n times, such as 1; default 0',
  ).default('0'),
  settingOption('budget'),
  strictOption(),
  new Option('--max-total-tokens <n>', 'stop before the run uses more tokens'),
  new Option('--max-cost <amount>', 'stop before the run costs more (natter config set prices…)'),
];

const rateOptions = () => [
  settingOption('fallback'),
  new Option('--rpm <n>', 'maximum requests a minute, evenly spaced'),
  new Option('--tpm <n>', 'maximum tokens a minute: estimates first, then as reported'),
];

const runOptions = () => [
  new Option(
    '--stop-after <duration>',
    'start no more items after this time, as before the time limit of a job',
  ),
];

const resultOptions = () => [
  new Option(
    '--output-format <format>',
    'format of the results: jsonl, openai or csv; default jsonl',
  )
    .choices(outputFormats)
    .default('jsonl'),
  new Option('--answer-column <name>', 'column for the answers in CSV, default answer').default(
    'answer',
  ),
];

const outputOptions = () => [
  new Option('-o, --output <file>', 'results file; run the same command again to resume'),
  ...resultOptions(),
  new Option('--unordered', 'print results as they arrive, not in input order'),
  new Option('--dry-run', 'print the requests as JSON lines; send nothing'),
];

const summaryOption = () =>
  new Option('--summary <file>', 'write a summary of the run as JSON to this file');

const reportOptions = () => [
  new Option('--figures', 'show times and causes at the end where there is no terminal, too'),
  new Option('--progress-json', 'print progress as JSON lines on standard error every 10 seconds'),
  summaryOption(),
];

const fileOptions = () => [
  new Option('-o, --output <file>', 'file to write (default: standard output)'),
  new Option('--force', 'replace an existing file'),
];

function buildMerge(context: Context, run: RunBatch): Command {
  const merge = new Command('merge')
    .argument('<files...>', 'results files of the shards')
    .summary('merge the results of shards')
    .description('Merges results files in input order and reports missing items.');
  addOptionGroups(merge, [['Output options:', fileOptions()]]);
  merge.action((files: string[]) => run.merge(context, merge.optsWithGlobals(), files));
  hideServiceOptions(merge);
  hideParentOptions(merge);
  return setExamples(merge, ['natter batch merge piece-*.jsonl -o all.jsonl']);
}

const exportSchemaOption = () =>
  new Option(
    '--schema <schema>',
    'ask for JSON, as natter batch does; natter batch import with it checks the answers',
  );

function buildExport(context: Context, run: RunBatch): Command {
  const command = new Command('export')
    .argument('[file]', 'prompts, as for natter batch; default or -: standard input')
    .summary('write the requests as an OpenAI batch file')
    .description(
      'Writes the requests as JSON lines for the batch endpoint of a service, or for vllm run-batch. Sends nothing.',
    );
  addOptionGroups(command, [
    [
      'Input options:',
      [
        ...inputOptions(),
        new Option('--results <file>', 'leave out the items answered in this results file'),
      ],
    ],
    ['Request options:', [...bodyOptions(), exportSchemaOption(), settingOption('responseFormat')]],
    ['Output options:', fileOptions()],
  ]);
  command.action((file: string | undefined) =>
    run.export(context, command.optsWithGlobals(), file),
  );
  hideServiceOptions(command);
  hideParentOptions(command);
  return setExamples(command, [
    'natter batch export reviews.csv --template "Sum up: {{text}}" -o batch.jsonl',
    'natter batch export prompts.txt -m nextgen --shard 1/2 -o requests-1.jsonl',
  ]);
}

function buildImport(context: Context, run: RunBatch): Command {
  const command = new Command('import')
    .argument('<file>', 'prompts, as for natter batch')
    .argument('<results...>', 'output and error files of an OpenAI batch or vllm run-batch')
    .summary('join the results of another engine to their input')
    .description(
      'Writes the results of another engine as results of natter, or in a different format. natter batch with the same file then sends what is missing.',
    );
  addOptionGroups(command, [
    ['Input options:', [...inputOptions(), settingOption('system', '-s')]],
    [checkGroup, [schemaOption(), selectOption()]],
    [
      'Output options:',
      [
        new Option('-o, --output <file>', 'results file, also one with results'),
        ...resultOptions(),
      ],
    ],
  ]);
  command.action((file: string, results: string[]) =>
    run.import(context, command.optsWithGlobals(), file, results),
  );
  hideServiceOptions(command);
  hideParentOptions(command);
  return setExamples(command, [
    'natter batch import prompts.jsonl output.jsonl errors.jsonl -o all.jsonl',
    'natter batch import prompts.txt answers.jsonl --output-format csv -o all.csv',
  ]);
}

const examples = [
  'natter batch prompts.txt -o answers.jsonl',
  'natter batch reviews.csv --template "Summarize: {{text}}" -o sums.jsonl',
  'natter batch prompts.jsonl --shard 1/4 -o piece-1.jsonl',
  'natter batch prompts.jsonl --dry-run | head -n 1 | jq .request.body',
  'natter batch prompts.txt --fallback nextgen | jq -r .content',
  'natter batch prompts.txt --schema "mood good|bad" | jq -r .value.mood',
];

/** A failed answer and one that does not conform are different reasons to ask again. `--response-format` checks nothing. */
const withoutFallback = (options: readonly Option[]) =>
  options.map((option) =>
    option.attributeName() === 'responseFormat' ? option : option.conflicts('fallback'),
  );

export function buildBatch(context: Context, run: RunBatch = runBatch): Command {
  const command = new Command('batch')
    .argument('[file]', 'prompts; default or -: standard input')
    .description(
      'Sends each prompt of a file: one per line, JSON lines ({"prompt": …} or {"messages": …}), or a table with a header. Writes the results as JSON lines.',
    );
  addOptionGroups(command, [
    ['Input options:', [...inputOptions(), ...secretOptions()]],
    [
      'Request options:',
      [...promptOptions(), ...sendingOptions(), ...rateOptions(), ...limitOptions()],
    ],
    [checkGroup, withoutFallback([...checkOptions(), selectOption()])],
    ['Run options:', runOptions()],
    ['Output options:', outputOptions()],
    ['Report options:', reportOptions()],
  ]);
  command.addCommand(buildExport(context, run));
  command.addCommand(buildImport(context, run));
  command.addCommand(buildMerge(context, run));
  const groups = {
    input: inputOptions,
    prompt: promptOptions,
    sending: sendingOptions,
    run: runOptions,
    summary: summaryOption,
    check: () => [...checkOptions(), selectOption()],
  };
  for (const queueCommand of buildQueueCommands(context, run, groups)) {
    command.addCommand(queueCommand);
  }
  setExamples(command, examples);
  return command.action((file: string | undefined) =>
    run.batch(context, command.optsWithGlobals(), file),
  );
}
