import { Command, Option } from 'commander';
import type { CollectOptions, StatusOptions, SubmitOptions, WorkOptions } from './open-queue.ts';
import type { Action, Context } from '../../../run.ts';
import { addOptionGroups, settingOption } from '../../program/global-options.ts';
import { hideParentOptions, hideServiceOptions, setExamples } from '../../program/help-details.ts';
import { checkGroup } from '../../prompt/check-options.ts';
import { allowSecretsOption, secretOptions, strictOption } from '../../prompt/prompt-options.ts';
import { Failure } from '../../../failure.ts';

export interface RunQueue {
  readonly submit: Action<SubmitOptions, [file: string | undefined]>;
  readonly work: Action<WorkOptions>;
  readonly status: Action<StatusOptions>;
  readonly collect: Action<CollectOptions>;
}

export const runQueue: RunQueue = {
  submit: async (...words) => (await import('./submit-run.ts')).submitBatch(...words),
  work: async (...words) => (await import('./work-run.ts')).workBatch(...words),
  status: async (...words) => (await import('./status-run.ts')).printStatus(...words),
  collect: async (...words) => (await import('./collect-run.ts')).collectBatch(...words),
};

/** Options of `natter batch` that a command for a queue has, too. */
interface SharedOptions {
  readonly input: () => Option[];
  readonly prompt: () => Option[];
  readonly sending: () => Option[];
  readonly run: () => Option[];
  readonly summary: () => Option;
  readonly check: () => Option[];
}

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

/** A subcommand of `natter batch` that accepts only its own options. */
function withOwnOptions(command: Command, example: string): Command {
  hideParentOptions(command);
  command.hook('preAction', refuseForeignOptions);
  return setExamples(command, [example]);
}

const queueOption = () =>
  new Option(
    '--queue <url>',
    'Redis or Valkey: redis://host:6379/0, encrypted rediss://; a password only in the variable [NATTER_QUEUE]',
  );
const rateOption = () =>
  new Option('--rpm <n>', 'maximum requests a minute of all workers of the batch together');

function buildSubmit(context: Context, run: RunQueue, options: SharedOptions): Command {
  const submit = new Command('submit')
    .argument('[file]', 'prompts; default or -: standard input')
    .summary('put prompts into a queue')
    .description(
      'Puts the prompts of a file into a queue, with the options for their requests. Submitting the same file again adds what is missing and lets failed items wait again.',
    );
  addOptionGroups(submit, [
    [
      'Queue options:',
      [
        queueOption(),
        new Option('--batch <name>', 'name of the batch, default that of the file'),
        new Option(
          '--attempts <n>',
          'workers that try an item after transient failures, default 3',
        ).default('3'),
        rateOption(),
      ],
    ],
    ['Input options:', options.input()],
    ['Request options:', [...options.prompt(), allowSecretsOption()]],
    [checkGroup, options.check().filter((option) => option.attributeName() !== 'responseFormat')],
  ]);
  submit.action((file: string | undefined) => run.submit(context, submit.optsWithGlobals(), file));
  return withOwnOptions(submit, 'natter batch submit prompts.jsonl --queue redis://localhost:6379');
}

const chosenBatch = () => new Option('--batch <name>', 'name of the batch, default the only one');

function buildWork(context: Context, run: RunQueue, options: SharedOptions): Command {
  const work = new Command('work')
    .summary('answer the prompts of a queue')
    .description(
      'Answers the prompts of a queue together with other workers, until none is left. The results stay in the queue for natter batch collect.',
    );
  addOptionGroups(work, [
    [
      'Queue options:',
      [
        queueOption(),
        chosenBatch(),
        rateOption(),
        new Option('--tpm <n>', 'maximum tokens a minute of this worker'),
        new Option('--wait', 'wait for more prompts when none is left'),
      ],
    ],
    [
      'Request options:',
      [
        ...options.sending(),
        settingOption('responseFormat'),
        settingOption('budget'),
        strictOption(),
        ...secretOptions(),
      ],
    ],
    ['Run options:', options.run()],
    ['Report options:', [options.summary()]],
  ]);
  work.action(() => run.work(context, work.optsWithGlobals()));
  return withOwnOptions(work, 'natter batch work --queue redis://localhost:6379 --concurrency 16');
}

function buildStatus(context: Context, run: RunQueue): Command {
  const status = new Command('status')
    .summary('show the batches of a queue')
    .description(
      'Shows how many items of each batch in a queue are answered, and by how many workers.',
    );
  addOptionGroups(status, [
    [
      'Queue options:',
      [queueOption(), new Option('--batch <name>', 'name of one batch, default all')],
    ],
    ['Output options:', [new Option('--json', 'print JSON')]],
  ]);
  status.action(() => run.status(context, status.optsWithGlobals()));
  hideServiceOptions(status);
  return withOwnOptions(status, 'natter batch status --queue redis://localhost:6379');
}

function buildCollect(context: Context, run: RunQueue): Command {
  const collect = new Command('collect')
    .summary('write the results of a queue into a file')
    .description(
      'Writes the results of a batch in a queue into a file, in input order, as natter batch does. Run it again for more; natter batch with the same file continues it.',
    );
  addOptionGroups(collect, [
    ['Queue options:', [queueOption(), chosenBatch()]],
    [
      'Output options:',
      [
        new Option('-o, --output <file>', 'results file (default: standard output)'),
        new Option('--unordered', 'do not sort the results file'),
        new Option('--remove', 'delete the batch in the queue once all results are in the file'),
        new Option('--force', 'with --remove, delete it even if items have no result'),
      ],
    ],
  ]);
  collect.action(() => run.collect(context, collect.optsWithGlobals()));
  hideServiceOptions(collect);
  return withOwnOptions(
    collect,
    'natter batch collect --queue redis://localhost:6379 -o answers.jsonl',
  );
}

/** `natter batch submit`, `work`, `status` and `collect`. */
export function buildQueueCommands(
  context: Context,
  run: RunQueue,
  options: SharedOptions,
): readonly Command[] {
  return [
    buildSubmit(context, run, options),
    buildWork(context, run, options),
    buildStatus(context, run),
    buildCollect(context, run),
  ];
}
