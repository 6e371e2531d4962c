import { Command, Option } from 'commander';
import { inputFormats } from '../../batch/input/item.ts';
import { outputFormats } from '../../batch/results/result-formats.ts';
import { Failure } from '../../failure.ts';
import {
  addOptionGroups,
  collect as repeat,
  settingOption,
  forceOption,
  jsonOption,
  allowSecretsOption,
  checkGroup,
  checkOptions,
  extractOption,
  messageOptions,
  schemaOption,
  secretOptions,
  selectOption,
  strictOption,
} from '../../cli/options.ts';
import { helpOf, setAction, setExamples } from '../../cli/help-details.ts';

const inputOptions = () => [
  new Option(
    '--format <format>',
    'input format: lines, jsonl, csv or tsv (default: from the file name or first line)',
  ).choices(inputFormats),
  new Option('--template <text>', 'build prompts from columns or fields: "… {{name}} …"'),
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

const bodyOptions = () => [
  settingOption('model', '-m'),
  settingOption('system', '-s'),
  settingOption('maxTokens', '-t'),
  new Option('--param <key=json>', 'add a field to each request body; repeatable').argParser(
    repeat,
  ),
  ...messageOptions(),
];

const promptOptions = () => [...bodyOptions(), new Option('--no-stream', 'do not stream answers')];

const sendingOptions = () => [
  new Option('--concurrency <n>', 'maximum concurrent requests, default 4').default('4'),
  new Option('--retry-incomplete <n>', 'retries after a cut answer, default 0').default('0'),
  new Option('--keep-going', 'do not stop if the first items all fail alike'),
];

const limitOptions = () => [
  settingOption('fallback'),
  new Option('--rpm <n>', 'maximum requests a minute, evenly spaced'),
  new Option('--tpm <n>', 'maximum tokens a minute: estimates first, then as reported'),
  new Option(
    '--rerun-failed <n>',
    'send failed items again, at most n times, such as 1; default 0',
  ).default('0'),
  settingOption('budget'),
  strictOption(),
  new Option('--max-total-tokens <n>', 'stop before the run uses more tokens'),
  new Option('--max-cost <amount>', 'stop before the run costs more (natter config set prices…)'),
];

const stopAfterOption = () =>
  new Option(
    '--stop-after <duration>',
    'start no more items after this time, as before the time limit of a job',
  );

const checksOptions = () => [...checkOptions(), selectOption()];

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
  new Option('--figures', 'show the times of answers where there is no terminal, too'),
  new Option('--progress-json', 'print progress as JSON lines on standard error every 10 seconds'),
  summaryOption(),
];

const fileOptions = () => [
  new Option('-o, --output <file>', 'file to write (default: standard output)'),
  forceOption(),
];

const queueGroup = 'Queue options:';
const queueOption = () =>
  new Option(
    '--queue <url>',
    'Redis or Valkey: redis://host:6379/0, encrypted rediss://; a password only in the variable [NATTER_QUEUE]',
  );
const chosenBatch = () => new Option('--batch <name>', 'name of the batch, default the only one');
const rateOption = () =>
  new Option('--rpm <n>', 'maximum requests a minute of all workers of the batch together');

/** A subcommand of `natter batch`, whose options it does not have. */
interface Subcommand {
  readonly name: string;
  /** Descriptions of the arguments. */
  readonly words?: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly description: string;
  /** Options by the heading of their group. */
  readonly options: () => Readonly<Record<string, readonly Option[]>>;
  readonly load: Parameters<typeof setAction>[1];
  readonly examples: readonly string[];
  readonly usesService?: boolean;
}

const subcommands: readonly Subcommand[] = [
  {
    name: 'export',
    words: { '[file]': 'prompts, as for natter batch; default or -: standard input' },
    summary: 'write the requests as an OpenAI batch file',
    description:
      'Writes the requests as JSON lines for the batch endpoint of a service, or for vllm run-batch. Sends nothing.',
    options: () => ({
      'Input options:': [
        ...inputOptions(),
        new Option('--results <file>', 'leave out the items answered in this results file'),
      ],
      'Request options:': [
        ...bodyOptions(),
        new Option(
          '--schema <schema>',
          'ask for JSON, as natter batch does; natter batch import with it checks the answers',
        ),
        settingOption('responseFormat'),
      ],
      'Output options:': fileOptions(),
    }),
    load: async () => (await import('./convert-run.ts')).exportBatch,
    examples: [
      'natter batch export reviews.csv --template "Sum up: {{text}}" -o batch.jsonl',
      'natter batch export prompts.txt -m nextgen --shard 1/2 -o requests-1.jsonl',
    ],
  },
  {
    name: 'import',
    words: {
      '<file>': 'prompts, as for natter batch',
      '<results...>': 'output and error files of an OpenAI batch or vllm run-batch',
    },
    summary: 'join the results of another engine to their input',
    description:
      'Writes the results of another engine as results of natter, or in a different format. natter batch with the same file then sends what is missing.',
    options: () => ({
      'Input options:': [...inputOptions(), settingOption('system', '-s'), ...messageOptions()],
      [checkGroup]: [schemaOption(), selectOption()],
      'Output options:': [
        new Option('-o, --output <file>', 'results file, also one with results'),
        ...resultOptions(),
      ],
    }),
    load: async () => (await import('./convert-run.ts')).importBatch,
    examples: [
      'natter batch import prompts.jsonl output.jsonl errors.jsonl -o all.jsonl',
      'natter batch import prompts.txt answers.jsonl --output-format csv -o all.csv',
    ],
  },
  {
    name: 'merge',
    words: { '<files...>': 'results files of the shards' },
    summary: 'merge the results of shards',
    description: 'Merges results files in input order and reports missing items.',
    options: () => ({ 'Output options:': fileOptions() }),
    load: async () => (await import('./convert-run.ts')).mergeBatch,
    examples: ['natter batch merge piece-*.jsonl -o all.jsonl'],
  },
  {
    name: 'submit',
    words: { '[file]': 'prompts; default or -: standard input' },
    summary: 'put prompts into a queue',
    description:
      'Puts the prompts of a file into a queue, with the options for their requests. Submitting the same file again adds what is missing and lets failed items wait again.',
    options: () => ({
      [queueGroup]: [
        queueOption(),
        new Option('--batch <name>', 'name of the batch, default that of the file'),
        new Option(
          '--attempts <n>',
          'workers that try an item after transient failures, default 3',
        ).default('3'),
        rateOption(),
      ],
      'Input options:': inputOptions(),
      'Request options:': [...promptOptions(), allowSecretsOption()],
      [checkGroup]: checksOptions().filter((one) => one.attributeName() !== 'responseFormat'),
    }),
    load: async () => (await import('./queue/queue-run.ts')).submitBatch,
    examples: ['natter batch submit prompts.jsonl --queue redis://localhost:6379'],
    usesService: true,
  },
  {
    name: 'work',
    summary: 'answer the prompts of a queue',
    description:
      'Answers the prompts of a queue together with other workers, until none is left. The results stay in the queue for natter batch collect.',
    options: () => ({
      [queueGroup]: [
        queueOption(),
        chosenBatch(),
        rateOption(),
        new Option('--tpm <n>', 'maximum tokens a minute of this worker'),
        new Option('--wait', 'wait for more prompts when none is left'),
      ],
      'Request options:': [
        ...sendingOptions(),
        settingOption('responseFormat'),
        settingOption('budget'),
        strictOption(),
        ...secretOptions(),
      ],
      'Run options:': [stopAfterOption()],
      'Report options:': [summaryOption()],
    }),
    load: async () => (await import('./queue/work-run.ts')).workBatch,
    examples: ['natter batch work --queue redis://localhost:6379 --concurrency 16'],
    usesService: true,
  },
  {
    name: 'status',
    summary: 'show the batches of a queue',
    description:
      'Shows how many items of each batch in a queue are answered, and by how many workers.',
    options: () => ({
      [queueGroup]: [queueOption(), new Option('--batch <name>', 'name of one batch, default all')],
      'Output options:': [jsonOption()],
    }),
    load: async () => (await import('./queue/queue-run.ts')).printStatus,
    examples: ['natter batch status --queue redis://localhost:6379'],
  },
  {
    name: 'collect',
    summary: 'write the results of a queue into a file',
    description:
      'Writes the results of a batch in a queue into a file, in input order, as natter batch does. Run it again for more; natter batch with the same file continues it.',
    options: () => ({
      [queueGroup]: [queueOption(), chosenBatch()],
      'Output options:': [
        new Option('-o, --output <file>', 'results file (default: standard output)'),
        new Option('--unordered', 'do not sort the results file'),
        new Option('--remove', 'delete the batch in the queue once all results are in the file'),
        new Option('--force', 'with --remove, delete it even if items have no result'),
      ],
    }),
    load: async () => (await import('./queue/queue-run.ts')).collectBatch,
    examples: ['natter batch collect --queue redis://localhost:6379 -o answers.jsonl'],
  },
];

/**
 * Commander accepts the options of natter batch for its subcommands, too.
 * @throws Failure `usage` for one that the subcommand does not have
 */
function refuseForeignOptions(command: Command): void {
  const own = new Set(command.options.map((option) => option.attributeName()));
  const { parent } = command;
  const foreign = parent?.options.find((option) => {
    const name = option.attributeName();
    return parent.getOptionValueSource(name) === 'cli' && !own.has(name);
  });
  if (foreign === undefined) return;
  const name = command.name();
  const flag = foreign.long ?? foreign.flags;
  throw new Failure('usage', `natter batch ${name} does not have the option ${flag}`, {
    hint: `natter batch ${name} --help`,
  });
}

function buildSubcommand(given: Subcommand): Command {
  const { name, words = {}, summary, description, options, load, examples } = given;
  const command = new Command(name).summary(summary).description(description);
  for (const [word, text] of Object.entries(words)) command.argument(word, text);
  const groups = options();
  addOptionGroups(command, Object.entries(groups));
  helpOf(command).hidesServiceOptions = given.usesService !== true;
  helpOf(command).hidesParentOptions = true;
  if (queueGroup in groups) command.hook('preAction', refuseForeignOptions);
  setExamples(command, examples);
  return setAction(command, load);
}

export function buildBatch(): Command {
  const command = new Command('batch')
    .summary('send many prompts: lines, JSON lines or a table')
    .argument('[file]', 'prompts; default or -: standard input')
    .description(
      'Sends each prompt of a file: one per line, JSON lines ({"prompt": …} or {"messages": …}), or a table with a header. Writes the results as JSON lines.',
    );
  addOptionGroups(command, [
    ['Input options:', [...inputOptions(), ...secretOptions()]],
    ['Request options:', [...promptOptions(), ...sendingOptions(), ...limitOptions()]],
    [checkGroup, [...checksOptions(), extractOption()]],
    ['Run options:', [stopAfterOption()]],
    ['Output options:', outputOptions()],
    ['Report options:', reportOptions()],
  ]);
  for (const given of subcommands) command.addCommand(buildSubcommand(given));
  setExamples(command, [
    'natter batch prompts.txt -o answers.jsonl',
    'natter batch reviews.csv --template "Summarize: {{text}}" -o sums.jsonl',
    'natter batch prompts.jsonl --shard 1/4 -o piece-1.jsonl',
    'natter batch prompts.jsonl --dry-run | head -n 1 | jq .request.body',
    'natter batch prompts.txt --fallback nextgen | jq -r .content',
    'natter batch prompts.txt --schema "mood good|bad" | jq -r .value.mood',
  ]);
  return setAction(command, async () => (await import('./run.ts')).runBatch);
}
