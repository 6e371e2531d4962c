import type { CompletionRequest } from '../../client/contract.ts';
import {
  countCharacters,
  type TokenRatio,
  tokensFor,
  tokensPerMessage,
} from '../../conversation/token-estimate.ts';
import { leastTokensOf, suspectTruncation } from '../../conversation/prompt-truncation.ts';
import { Failure } from '../../failure.ts';
import {
  isRatio,
  type KnownModel,
  type KnownModels,
  maxModels,
  maxSamples,
  medianOf,
  readKnownModels,
  withKnownModels,
} from '../../settings/model-windows.ts';
import { replaceFile } from '../../storage/state-file.ts';
import { maskText } from '../program/mask-secrets.ts';
import type { MeterSources } from './metered-service.ts';
import { modelsFile } from './served-windows.ts';

/** Characters of a prompt; the tokens of a shorter one are mostly those of the chat format. */
const fewestCharacters = 400;
/** Tokens that every server reads whole; a longer prompt may be cut. */
const surelyWhole = 2000;
const wholeShare = 0.8;
/** A sample that differs less from the median changes nothing. */
const difference = 0.1;
/** Shares of characters that are not ASCII: a sample of ASCII has fewer, one of the others more. */
const fewOthers = 0.05;
const manyOthers = 0.5;

interface Sample {
  readonly kind: 'ascii' | 'other';
  /** Tokens per character. */
  readonly ratio: number;
}

/** Undefined for a prompt that is short, mixed, probably cut, or has an unusual count. */
export function sampleOf(
  { messages, params }: CompletionRequest,
  counted: number,
  known: TokenRatio,
): Sample | undefined {
  const count = { ascii: 0, other: 0 };
  for (const { content } of messages) countCharacters(content, count);
  const characters = count.ascii + count.other;
  const kind = count.other > characters * manyOthers ? 'other' : 'ascii';
  if (characters < fewestCharacters) return undefined;
  if (kind === 'ascii' && count.other > characters * fewOthers) return undefined;
  // The service counts them, too.
  if (params?.['tools'] !== undefined) return undefined;
  const least = leastTokensOf(messages);
  if (least > surelyWhole && counted < least * wholeShare) return undefined;
  if (suspectTruncation(messages, counted) !== undefined) return undefined;
  const rest = tokensFor({ ...count, [kind]: 0 }, known) + tokensPerMessage * messages.length;
  const ratio = Math.round(((counted - rest) / count[kind]) * 1000) / 1000;
  return isRatio(ratio) ? { kind, ratio } : undefined;
}

/** The model with the sample; undefined if that changes nothing. */
export function withSample(model: KnownModel, { kind, ratio }: Sample): KnownModel | undefined {
  const samples = model[kind] ?? [];
  const median = medianOf(samples);
  if (median !== undefined && Math.abs(ratio - median) <= median * difference) return undefined;
  return { ...model, [kind]: [...samples, ratio].slice(-maxSamples) };
}

/** As OpenAI, vLLM, LM Studio, llama.cpp, Mistral, Anthropic and Gemini write it. */
const limits = [
  /context (?:length|size|window)[^.\d]{0,40}?(\d[\d,]*)/i,
  /(\d[\d,]*) maximum context length/i,
  /tokens > (\d[\d,]*) maximum/i,
  /maximum number of tokens allowed \((\d[\d,]*)\)/i,
];
const [smallestWindow, largestWindow] = [256, 100_000_000];

/** The window that the service named when it refused a prompt for its length. */
export function refusedWindow(error: unknown): number | undefined {
  if (!(error instanceof Failure) || error.kind !== 'invalid_request') return undefined;
  const found = limits.map((limit) => limit.exec(error.message)?.[1]).find(Boolean);
  const window = Number(found?.replaceAll(',', ''));
  return window >= smallestWindow && window <= largestWindow ? window : undefined;
}

type Change = (model: KnownModel) => KnownModel | undefined;

function changed(models: KnownModels, changes: readonly (readonly [string, Change])[]) {
  const next = new Map(models);
  for (const [id, change] of changes) {
    const model = change(next.get(id) ?? {});
    if (model !== undefined && (next.has(id) || next.size < maxModels)) next.set(id, model);
  }
  return next;
}

/** Learns from answers and refusals; writes at the end, and only if something changed. */
export interface ModelLearning {
  answered(request: CompletionRequest, counted: number): void;
  refused(request: CompletionRequest, error: unknown): void;
  /** Writes what is new. */
  close(): void;
}

interface KnownFile {
  readonly file: string;
  readonly baseUrl: string;
}

/** Collects changes, and writes them together. */
function createChanges({ context, log }: MeterSources, { file, baseUrl }: KnownFile) {
  let models: KnownModels | undefined;
  let changes: (readonly [string, Change])[] = [];
  return {
    add(id: string, change: Change): void {
      // A key that was typed as the model must not be stored.
      if (maskText(context.secrets, id) !== id) return;
      models ??= readKnownModels(file, baseUrl);
      const model = change(models.get(id) ?? {});
      if (model === undefined) return;
      models = new Map(models).set(id, model);
      changes.push([id, change]);
    },
    write(): void {
      if (changes.length === 0) return;
      const learned = changes;
      changes = [];
      try {
        const content = withKnownModels(file, baseUrl, (known) => changed(known, learned));
        replaceFile(file, content, context.process.id);
      } catch (error) {
        log(`what was learned about the models is not saved: ${String(error)}`);
      }
    },
  };
}

/** Undefined for the sandbox, without a state folder, and if saving is off. */
export function createModelLearning(
  sources: MeterSources,
  isSandbox: boolean,
): ModelLearning | undefined {
  const { settings } = sources;
  const { baseUrl, save } = settings.values;
  const file = modelsFile(sources.context);
  if (isSandbox || !save || baseUrl === undefined || file === undefined) return undefined;
  const changes = createChanges(sources, { file, baseUrl });
  return {
    answered(request, counted) {
      const { model } = request;
      const sample = sampleOf(request, counted, settings.ratios?.get(model) ?? {});
      if (sample !== undefined) changes.add(model, (old) => withSample(old, sample));
    },
    refused({ model }, error) {
      const window = refusedWindow(error);
      if (window === undefined) return;
      changes.add(model, (old) => (old.window === window ? undefined : { ...old, window }));
    },
    close: () => changes.write(),
  };
}
