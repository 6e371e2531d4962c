// Learns the context windows of a service's models, as it lists them or names them in a refusal.
import { isDeepStrictEqual } from 'node:util';
import type { Client } from '../client/client.ts';
import type { ModelRecord } from '../client/contract.ts';
import { describeModel } from '../client/models/model-description.ts';
import type { ModelWindows } from '../conversation/context-fit.ts';
import { estimateMessages } from '../conversation/token-estimate.ts';
import { Failure } from '../failure.ts';
import type { Run } from '../run.ts';
import { maskText } from '../secrets/secrets.ts';
import { withWindow, writeWindows } from '../settings/model-windows.ts';

const smallestWindow = 256;

/** Numbers that name a maximum. An excess does not: `over by 1,200 tokens`, `exceeded: 9,000`. */
const maximums = [
  /(?:\b(?:over|maximum|max|limit|of|supports|available context size)\b|>)(?:(?!\bby\b|exceed)[^\d.;]){0,40}(\d[\d,]*)/gi,
  /(\d[\d,]*) maximum\b/gi,
];

const numbersIn = (message: string, pattern: RegExp) =>
  [...message.matchAll(pattern)].map(([, digits = '']) => Number(digits.replaceAll(',', '')));

/**
 * Finds the window that the service named when it refused a prompt for its length: smaller than the prompt, and the
 * only number that can be meant.
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

/** Makes a client that learns windows from lists of models and from refusals; stores them, unless saving is off. */
export function learnWindows(client: Client, { context, presentation, settings }: Run) {
  const { baseUrl, save } = settings.values;
  // The setting `window` is not among these.
  let windows: ModelWindows = new Map(settings.windows);

  function learn(entries: Iterable<readonly [string, number]>): void {
    const next = new Map(entries);
    if (isDeepStrictEqual(next, windows)) return;
    windows = next;
    if (!save || baseUrl === undefined) return;
    try {
      writeWindows(context, baseUrl, windows, context.process.id);
    } catch (error) {
      const reason = String(error);
      presentation.debugLog(`the context windows of the models are not saved: ${reason}`);
    }
  }
  /** A service that reports no window may have named it when it refused a prompt. */
  const windowOf = (record: ModelRecord): (readonly [string, number])[] => {
    const { contextWindow = windows.get(record.id) } = describeModel(record);
    return contextWindow === undefined ? [] : [[record.id, Math.floor(contextWindow)]];
  };
  const learning: Client = {
    ...client,
    async *chat(request, how) {
      try {
        yield* client.chat(request, how);
      } catch (error) {
        const { messages, max_tokens: answer = 0 } = request;
        const window = refusedWindow(error, estimateMessages(messages) + answer);
        // A key that was typed as the model must not be stored.
        const isSecret = maskText(context.secrets, request.model) !== request.model;
        if (window !== undefined && !isSecret) learn([...windows, [request.model, window]]);
        throw error;
      }
    },
    async listModels(how) {
      const records = await client.listModels(how);
      learn(records.flatMap(windowOf));
      return records;
    },
    async getModel(id, how) {
      const record = await client.getModel(id, how);
      learn([...windows, ...windowOf(record)]);
      return record;
    },
  };
  return { client: learning, windows: () => withWindow(windows, settings.values) };
}
