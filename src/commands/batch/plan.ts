import { formatOfName, type InputFormat } from '../../batch/input/input-format.ts';
import { parseShard, type Shard } from '../../batch/input/shard.ts';
import { parseTemplate, type Template } from '../../batch/input/template.ts';
import { Failure } from '../../failure.ts';
import type { BatchOptions } from './options.ts';

/** Parsed options specific to `natter batch`. */
export interface BatchPlan {
  /** Undefined: the input's first line decides. */
  readonly format: InputFormat | undefined;
  readonly template: Template | undefined;
  readonly shard: Shard | undefined;
  readonly concurrency: number;
  readonly retryIncomplete: number;
}

const mostConcurrency = 1000;

function wholeNumber(text: string, option: string, least: number, most: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new Failure('usage', `${option} must be a whole number from ${least} to ${most}`);
}

/** Without a column every prompt would be the same. */
function templateOf(text: string): Template {
  const template = parseTemplate(text);
  if (template.names.length > 0) return template;
  throw new Failure('usage', 'the template has no column, so all prompts would be equal', {
    hint: 'put column names in double braces, as in --template "Sum up: {{text}}"',
  });
}

/** @throws Failure `usage` */
export function planBatch(options: BatchOptions, file: string | undefined): BatchPlan {
  const { format, template, shard, concurrency, retryIncomplete } = options;
  return {
    format: format ?? (file === undefined ? undefined : formatOfName(file)),
    template: template === undefined ? undefined : templateOf(template),
    shard: shard === undefined ? undefined : parseShard(shard),
    concurrency: wholeNumber(concurrency, '--concurrency', 1, mostConcurrency),
    retryIncomplete: wholeNumber(retryIncomplete, '--retry-incomplete', 0, 100),
  };
}
