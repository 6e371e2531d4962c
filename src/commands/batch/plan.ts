import path from 'node:path';
import type { Context, GlobalOptions, StartedRun } from '../../run.ts';
import type { AnswerCheck, CheckOptions } from '../../ask/check.ts';
import { chooseRecording } from '../../ask/recording-choice.ts';
import type { Service } from '../../ask/service.ts';
import { formatOfName } from '../../batch/input/read-items.ts';
import { type InputFormat, parseTemplate } from '../../batch/input/item.ts';
import { resultsPath } from '../../batch/results/read-results.ts';
import type { OutputFormat } from '../../batch/results/result-formats.ts';
import type { Tally } from '../../batch/tally.ts';
import type { CompletionRequest } from '../../client/contract.ts';
import type { Environment } from '../../environment.ts';
import { Failure } from '../../failure.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import { parseValue } from '../../settings/setting-value.ts';
import { duration, wholeNumber } from '../../settings/definitions.ts';
import { refuseReservedName } from '../../storage/file-name.ts';
import type { GuardedRequest } from '../../input/secret-guard.ts';
import { chooseShard } from '../../batch/input/select-items.ts';

/** Options of `natter batch`. Values of settings and numbers are unparsed text. */
export interface BatchOptions extends SendingOptions, CheckOptions, OutputOptions {
  readonly format?: InputFormat;
  readonly template?: string;
  readonly shard?: string;
  readonly limit?: string;
  readonly sample?: string;
  readonly seed: string;
  readonly rerunFailed: string;
  readonly maxTotalTokens?: string;
  readonly maxCost?: string;
  readonly model?: string;
  readonly fallback?: string;
  readonly system?: string;
  readonly maxTokens?: string;
  readonly messages?: string;
  readonly M?: readonly string[];
  /** False with `--no-stream`. */
  readonly stream: boolean;
}

interface ReportOptions {
  readonly progressJson?: boolean;
  readonly summary?: string;
  readonly figures?: boolean;
}

/** A run that counts its items. */
export interface TalliedRun extends StartedRun<GlobalOptions & ReportOptions> {
  readonly tally: Tally;
}

/** Options of a command that sends items. Numbers are unparsed text. */
export interface SendingOptions extends GlobalOptions, ReportOptions {
  readonly concurrency: string;
  readonly retryIncomplete: string;
  readonly stopAfter?: string;
  readonly rpm?: string;
  readonly tpm?: string;
  readonly keepGoing?: boolean;
  readonly budget?: string;
  readonly strict?: boolean;
}

/** A run that sends items, wherever they come from. */
export interface SendingRun extends TalliedRun {
  readonly options: SendingOptions;
  /** What the title of the window names: `natter batch`. */
  readonly command: string;
  readonly settings: ResolvedSettings;
  readonly plan: ReturnType<typeof planSending>;
  readonly service: Service;
  /** Undefined if answers are not checked. */
  readonly check: AnswerCheck | undefined;
  /** Undefined if prompts are not checked for secrets. */
  readonly guard: ((request: CompletionRequest) => GuardedRequest) | undefined;
  readonly stream: boolean;
  /** Whether an item that the service refuses for too long stops the run. */
  readonly stopsStarved: boolean;
  /** Gets the milliseconds of a pause for a rate limit. */
  readonly onPause: (wait: number) => void;
  /** Aborts when results cannot be saved any more. */
  readonly broken: AbortSignal;
}

const maxConcurrency = 1000;
const maxItems = 999_999_999;
const maxRate = 1_000_000_000;

/** @throws Failure `usage` */
export const parseNumber = (text: string, option: string, least: number, most: number): number =>
  parseValue(wholeNumber(least, most), text, { label: option, kind: 'usage' });

/** The number of an option that may be absent. @throws Failure `usage` */
const optionalNumber = (text: string | undefined, option: string, most: number) =>
  text === undefined ? undefined : parseNumber(text, option, 1, most);

function parseAmount(text: string): number {
  const amount = /^\d{1,9}(?:\.\d{1,9})?$/.test(text) ? Number(text) : 0;
  if (amount > 0) return amount;
  throw new Failure('usage', '--max-cost must be an amount above 0, such as 2.50', {
    hint: 'it is in the currency of the prices: ‹natter config set prices.origin "0.5/1.5 EUR"›',
  });
}

/** How items are sent, whatever they are. @throws Failure `usage` */
export function planSending(options: SendingOptions) {
  const { concurrency, retryIncomplete, stopAfter = '0', rpm, tpm } = options;
  const time = parseValue(duration, stopAfter, { label: '--stop-after', kind: 'usage' });
  return {
    concurrency: parseNumber(concurrency, '--concurrency', 1, maxConcurrency),
    retryIncomplete: parseNumber(retryIncomplete, '--retry-incomplete', 0, 100),
    /** Milliseconds; undefined without a limit. */
    stopAfter: time === 0 ? undefined : time,
    rateLimits: {
      requests: optionalNumber(rpm, '--rpm', maxRate),
      tokens: optionalNumber(tpm, '--tpm', maxRate),
    },
  };
}

/** What the options of a batch mean. @param file the input @throws Failure `usage` */
export function planBatch(
  options: BatchOptions,
  file: string | undefined,
  environment: Environment,
) {
  const { format, template, shard, limit, maxTotalTokens, maxCost } = options;
  const seed = parseNumber(options.seed, '--seed', 0, maxItems);
  const size = optionalNumber(options.sample, '--sample', maxItems);
  const parsed = template === undefined ? undefined : parseTemplate(template);
  if (parsed?.names.length === 0) {
    const message = 'the template names no column, so all prompts would be identical';
    throw new Failure('usage', message, {
      hint: 'put column names in double braces, as in --template "Summarize: {{text}}"',
    });
  }
  return {
    /** Undefined: the input's first line decides. */
    format: format ?? (file === undefined ? undefined : formatOfName(file)),
    template: parsed,
    shard: shard === undefined ? undefined : chooseShard(shard, environment),
    /** Only the first items; `Infinity` for all. */
    limit: optionalNumber(limit, '--limit', maxItems) ?? Infinity,
    sample: size === undefined ? undefined : { size, seed },
    ...planSending(options),
    rerunFailed: parseNumber(options.rerunFailed, '--rerun-failed', 0, 100),
    limits: {
      tokens: optionalNumber(maxTotalTokens, '--max-total-tokens', maxItems),
      cost: maxCost === undefined ? undefined : parseAmount(maxCost),
    },
    /** Neither `--sandbox` nor a replay. */
    usesService:
      options.sandbox !== true && chooseRecording(options, environment).replay === undefined,
  };
}

/** Where a command writes its results, and how. */
export interface OutputOptions {
  readonly output?: string;
  readonly outputFormat: OutputFormat;
  readonly answerColumn: string;
  readonly unordered?: boolean;
}

/** The file that a run resumes from: a file in another format is written from the results beside it. */
export function resultsFileOf({ output, outputFormat }: OutputOptions): string | undefined {
  return output !== undefined && outputFormat !== 'jsonl' ? `${output}.jsonl` : output;
}

/** The path behind all symbolic links, also of a file that does not exist. */
function placeOf(name: string): string {
  try {
    return resultsPath(name);
  } catch {
    // Opening the file fails for the same reason, and reports it.
    return path.resolve(name);
  }
}

/** @throws Failure `usage` if the file of `-o` or `--summary` is a device, or is used for something else as well */
export function refuseSharedFiles(
  { environment, platform }: Context,
  options: BatchOptions,
  input: string | undefined,
): void {
  if (options.output !== undefined) refuseReservedName(options.output, platform);
  const { record, replay } = chooseRecording(options, environment);
  const results = [options.output, resultsFileOf(options)];
  const used = [
    { role: 'input', name: input === '-' ? undefined : input },
    { role: 'recording', name: record ?? replay?.file },
  ];
  const refuse = (name: string | undefined, content: string, option: string) => {
    const same = name && used.find((other) => other.name && placeOf(other.name) === placeOf(name));
    if (!same) return;
    const message = `${name} is the ${same.role}; ${content} cannot be written to it`;
    throw new Failure('usage', message, { hint: `use a different ${option} file` });
  };
  for (const name of results) refuse(name, 'results', '-o');
  used.push(...results.map((name) => ({ role: 'results file', name })));
  refuse(options.summary, 'the summary', '--summary');
}
