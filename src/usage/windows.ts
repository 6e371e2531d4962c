// The context windows of a service's models, as it listed them or named them in a refusal: `models.json` of the state
// folder, by address and model.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChatOptions, Client } from '../client/client.ts';
import type { CompletionRequest, ModelRecord } from '../client/contract.ts';
import { describeModel } from '../client/models/model-description.ts';
import type { ModelWindows } from '../conversation/context-fit.ts';
import { textMessages } from '../conversation/message-text.ts';
import { estimateMessages } from '../conversation/token-estimate.ts';
import { Failure } from '../failure.ts';
import { isJsonObject, type JsonObject, parseJson } from '../json.ts';
import { resolveFolders, type FolderFacts } from '../settings/folders.ts';
import type { ResolvedSettings } from '../settings/resolved-settings.ts';
import { replaceFile } from '../storage/state-file.ts';

/** Maximum number of services; the least recently changed is dropped first. */
const maxServices = 20;
/** Maximum number of models of one service. */
const maxModels = 2_000;

/** The same address may be written with or without a slash or `/v1`. */
const addressOf = (baseUrl: string) => baseUrl.trim().replace(/(?:\/v1)?\/*$/, '');

/** Undefined without a state folder. */
function fileOf(context: FolderFacts): string | undefined {
  const { state } = resolveFolders(context);
  return state === undefined ? undefined : join(state, 'models.json');
}

/** Empty for a missing, unreadable or malformed file: the catalogue is used then. */
function readFile(file: string): JsonObject {
  try {
    const value = parseJson(readFileSync(file, 'utf8'));
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** The windows that earlier runs learned from the service at this address. */
export function readWindows(context: FolderFacts, baseUrl: string | undefined): ModelWindows {
  const file = fileOf(context);
  if (baseUrl === undefined || file === undefined) return new Map();
  const models = readFile(file)[addressOf(baseUrl)];
  const isWindow = (entry: [string, unknown]): entry is [string, number] =>
    Number.isSafeInteger(entry[1]) && Number(entry[1]) > 0;
  return new Map(Object.entries(isJsonObject(models) ? models : {}).filter(isWindow));
}

/** @throws Failure `storage` */
function writeWindows(file: string, baseUrl: string, windows: ModelWindows, writer: number): void {
  const { [addressOf(baseUrl)]: _, ...others } = readFile(file);
  const kept = Object.entries(others).slice(1 - maxServices);
  const models = Object.fromEntries([...windows].slice(0, maxModels));
  const document = Object.fromEntries([...kept, [addressOf(baseUrl), models]]);
  replaceFile(file, `${JSON.stringify(document, undefined, 2)}\n`, writer);
}

/** The windows, or that of the setting `window` for every model. */
export function withWindow(
  windows: ModelWindows,
  { window }: ResolvedSettings['values'],
): ModelWindows {
  return window === undefined ? windows : Object.assign(new Map(windows), { get: () => window });
}

const smallestWindow = 256;

/** Numbers that name a maximum. An excess does not: `over by 1,200 tokens`, `exceeded: 9,000`. */
const maximums = [
  /(?:\b(?:over|maximum|max|limit|of|supports|available context size)\b|>)(?:(?!\bby\b|exceed)[^\d.;]){0,40}(\d[\d,]*)/gi,
  /(\d[\d,]*) maximum\b/gi,
];

const numbersIn = (message: string, pattern: RegExp) =>
  [...message.matchAll(pattern)].map(([, digits = '']) => Number(digits.replaceAll(',', '')));

/**
 * The window that the service named when it refused a prompt for its length: smaller than the prompt, and the only
 * number that can be meant.
 * @param size the tokens of the request, as natter estimates them
 */
export function refusedWindow(error: unknown, size: number): number | undefined {
  if (!(error instanceof Failure) || error.kind !== 'invalid_request') return undefined;
  const { message, contextWindow } = error;
  const isAboutLength = /\b(?:context|prompt|input)\b/i.test(message);
  const named = isAboutLength ? maximums.flatMap((pattern) => numbersIn(message, pattern)) : [];
  const largest = Math.max(size, ...numbersIn(message, /(\d[\d,]*)/g));
  const possible = (contextWindow === undefined ? named : [contextWindow]).filter(
    (window) => window >= smallestWindow && window < largest,
  );
  return new Set(possible).size === 1 ? possible[0] : undefined;
}

function sizeOf({ messages, max_tokens: answer = 0 }: CompletionRequest): number {
  return estimateMessages(textMessages(messages)) + answer;
}

function isSame(left: ModelWindows, right: ModelWindows): boolean {
  return left.size === right.size && [...left].every(([id, window]) => right.get(id) === window);
}

interface LearningOptions {
  readonly context: FolderFacts & { readonly process: { readonly id: number } };
  readonly settings: ResolvedSettings;
  readonly log: (text: string) => void;
  /** Masks secrets in text. */
  readonly mask: (text: string) => string;
}

/** A client that learns windows from lists of models and from refusals; stores them, unless saving is off. */
export function learnWindows(client: Client, options: LearningOptions) {
  const { context, settings, log, mask } = options;
  const { baseUrl, save } = settings.values;
  // Without the setting `window`.
  let windows: ModelWindows = new Map(settings.windows);

  function learn(next: ModelWindows): void {
    if (isSame(next, windows)) return;
    windows = next;
    const file = fileOf(context);
    if (!save || baseUrl === undefined || file === undefined) return;
    try {
      writeWindows(file, baseUrl, windows, context.process.id);
    } catch (error) {
      log(`the context windows of the models are not saved: ${String(error)}`);
    }
  }
  function learnRecords(records: readonly ModelRecord[], others: ModelWindows): void {
    const next = new Map(others);
    for (const record of records.slice(0, maxModels)) {
      // A service that reports no window may have named it when it refused a prompt.
      const { contextWindow = windows.get(record.id) } = describeModel(record);
      if (contextWindow !== undefined) next.set(record.id, Math.floor(contextWindow));
    }
    learn(next);
  }
  function learnRefusal(request: CompletionRequest, error: unknown): void {
    const window = refusedWindow(error, sizeOf(request));
    // A key that was typed as the model must not be stored.
    if (window === undefined || mask(request.model) !== request.model) return;
    learn(new Map(windows).set(request.model, window));
  }
  const learning: Client = {
    async *chat(request: CompletionRequest, how?: ChatOptions) {
      try {
        yield* client.chat(request, how);
      } catch (error) {
        learnRefusal(request, error);
        throw error;
      }
    },
    async listModels(how) {
      const records = await client.listModels(how);
      learnRecords(records, new Map());
      return records;
    },
    async getModel(id, how) {
      const record = await client.getModel(id, how);
      learnRecords([record], windows);
      return record;
    },
    close: () => client.close(),
  };
  return { client: learning, windows: () => withWindow(windows, settings.values) };
}
