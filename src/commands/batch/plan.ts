import { formatOfName, type InputFormat } from '../../batch/input/input-format.ts';
import { parseTemplate, type Template } from '../../batch/input/item.ts';
import type { RateLimits } from '../../batch/limits/rate-limit.ts';
import type { Shard } from '../../batch/input/select-items.ts';
import type { Environment } from '../../environment.ts';
import { Failure } from '../../failure.ts';
import { duration } from '../../settings/value-types.ts';
import type { CheckOptions, SelectOptions } from '../../ask/check.ts';
import type { RunLimits } from '../../usage/budget.ts';
import type { GlobalOptions } from '../program/global-options.ts';
import { chooseRecording } from '../service/recording-choice.ts';
import { chooseShard } from './array-job.ts';
import { parseNumber, parseRate } from './numbers.ts';
import type { ReportOptions } from './report/reporting.ts';

/** `jsonl`: natter's own; `openai`: as an OpenAI batch; `csv`: the input's columns and the answers. */
export const outputFormats = ['jsonl', 'openai', 'csv'] as const;
type OutputFormat = (typeof outputFormats)[number];

/** Options of `natter batch`. Values of settings and numbers are unparsed text. */
export interface BatchOptions extends GlobalOptions, ReportOptions, CheckOptions, SelectOptions {
  readonly format?: InputFormat;
  readonly template?: string;
  readonly shard?: string;
  readonly limit?: string;
  readonly sample?: string;
  readonly seed: string;
  readonly output?: string;
  readonly outputFormat: OutputFormat;
  readonly answerColumn: string;
  readonly unordered?: boolean;
  readonly dryRun?: boolean;
  readonly concurrency: string;
  readonly retryIncomplete: string;
  readonly stopAfter?: string;
  readonly rerunFailed: string;
  readonly keepGoing?: boolean;
  readonly rpm?: string;
  readonly tpm?: string;
  readonly maxTotalTokens?: string;
  readonly maxCost?: string;
  readonly budget?: string;
  readonly strict?: boolean;
  readonly model?: string;
  readonly fallback?: string;
  readonly system?: string;
  readonly maxTokens?: string;
  readonly param?: readonly string[];
  /** False with `--no-stream`. */
  readonly stream: boolean;
  readonly allowSecrets?: boolean;
  readonly redact?: boolean;
}

/** How items are sent, whatever they are. */
export interface SendingPlan {
  readonly concurrency: number;
  readonly retryIncomplete: number;
  /** Milliseconds; undefined without a limit. */
  readonly stopAfter: number | undefined;
}

export interface BatchPlan extends SendingPlan {
  /** Undefined: the input's first line decides. */
  readonly format: InputFormat | undefined;
  readonly template: Template | undefined;
  readonly shard: Shard | undefined;
  /** Only the first items; `Infinity` for all. */
  readonly limit: number;
  readonly sample: { readonly size: number; readonly seed: number } | undefined;
  readonly rerunFailed: number;
  readonly rateLimits: RateLimits;
  readonly limits: RunLimits;
  /** Neither `--sandbox` nor a replay. */
  readonly usesService: boolean;
}

const maxConcurrency = 1000;
const maxItems = 999_999_999;

function parseStopAfter(text: string): number | undefined {
  const time = duration.parse(text);
  if (time !== undefined) return time === 0 ? undefined : time;
  throw new Failure('usage', `--stop-after must be ${duration.expected}`);
}

/** @throws Failure `usage` */
function parseAmount(text: string): number {
  const amount = /^\d{1,9}(?:\.\d{1,9})?$/.test(text) ? Number(text) : 0;
  if (amount > 0) return amount;
  throw new Failure('usage', '--max-cost must be an amount above 0, such as 2.50', {
    hint: 'it is in the currency of the prices: natter config set prices.origin "0.5/1.5 EUR"',
  });
}

/** @throws Failure `usage` */
function limitsOf({ maxTotalTokens: tokens, maxCost }: BatchOptions): RunLimits {
  return {
    tokens:
      tokens === undefined ? undefined : parseNumber(tokens, '--max-total-tokens', 1, maxItems),
    cost: maxCost === undefined ? undefined : parseAmount(maxCost),
  };
}

/** @throws Failure `usage` */
function rateLimitsOf({ rpm, tpm }: BatchOptions): RateLimits {
  return {
    requests: parseRate(rpm, '--rpm'),
    tokens: parseRate(tpm, '--tpm'),
  };
}

/** Which items of the input are used, before shards. */
type Excerpt = Pick<BatchPlan, 'limit' | 'sample'>;

/** @throws Failure `usage` */
function excerptOf({
  limit,
  sample,
  seed,
}: Pick<BatchOptions, 'limit' | 'sample' | 'seed'>): Excerpt {
  const chosen = parseNumber(seed, '--seed', 0, maxItems);
  return {
    limit: limit === undefined ? Infinity : parseNumber(limit, '--limit', 1, maxItems),
    sample:
      sample === undefined
        ? undefined
        : { size: parseNumber(sample, '--sample', 1, maxItems), seed: chosen },
  };
}

function templateOf(text: string): Template {
  const template = parseTemplate(text);
  if (template.names.length > 0) return template;
  throw new Failure('usage', 'the template names no column, so all prompts would be identical', {
    hint: 'put column names in double braces, as in --template "Summarize: {{text}}"',
  });
}

/** @throws Failure `usage` */
export function planSending(
  options: Pick<BatchOptions, 'concurrency' | 'retryIncomplete' | 'stopAfter'>,
): SendingPlan {
  const { concurrency, retryIncomplete, stopAfter } = options;
  return {
    concurrency: parseNumber(concurrency, '--concurrency', 1, maxConcurrency),
    retryIncomplete: parseNumber(retryIncomplete, '--retry-incomplete', 0, 100),
    stopAfter: stopAfter === undefined ? undefined : parseStopAfter(stopAfter),
  };
}

/** @param file the input @throws Failure `usage` */
export function planBatch(
  options: BatchOptions,
  file: string | undefined,
  environment: Environment,
): BatchPlan {
  const { format, template, shard } = options;
  return {
    format: format ?? (file === undefined ? undefined : formatOfName(file)),
    template: template === undefined ? undefined : templateOf(template),
    shard: shard === undefined ? undefined : chooseShard(shard, environment),
    ...excerptOf(options),
    ...planSending(options),
    rerunFailed: parseNumber(options.rerunFailed, '--rerun-failed', 0, 100),
    rateLimits: rateLimitsOf(options),
    limits: limitsOf(options),
    usesService:
      options.sandbox !== true && chooseRecording(options, environment).replay === undefined,
  };
}

/** The file that a run resumes from: a CSV file is written from the results beside it. */
export function resultsFileOf({
  output,
  outputFormat,
}: Pick<BatchOptions, 'output' | 'outputFormat'>): string | undefined {
  return output !== undefined && outputFormat === 'csv' ? `${output}.jsonl` : output;
}
