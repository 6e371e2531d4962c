import { catalogue } from '../client/contract.ts';
import { Failure } from '../failure.ts';

/** Maximum bytes of text in one token of any known tokenizer. */
const maxBytesPerToken = 128;
const warningShare = 0.8;

/** Windows in tokens by model id, as reported by the service. */
export type ModelWindows = ReadonlyMap<string, number>;

const noWindows: ModelWindows = new Map();

/** The window reported by the service, else the one in the contract's catalogue. */
export function contextWindow(model: string, served = noWindows): number | undefined {
  return served.get(model) ?? catalogue.find((entry) => entry.id === model)?.contextWindow;
}

function bySize(ids: Iterable<string>, served: ModelWindows) {
  return [...ids]
    .map((id) => ({ id, window: contextWindow(id, served) ?? 0 }))
    .sort((left, right) => left.window - right.window);
}

const catalogueIds = catalogue.map(({ id }) => id);

/** Maximum bytes of a prompt that could fit any model of the catalogue. */
export const largestPromptBytes =
  Math.max(...catalogue.map((entry) => entry.contextWindow)) * maxBytesPerToken;

/**
 * The smallest model whose window has room for the tokens of the request; else the largest. The models are those of the
 * service, if it reported any; with those of the catalogue, if it has one of them.
 */
export function smallestModelFor(tokens: number, served = noWindows): string {
  // Models that answer no prompts.
  const otherUse = /embed|whisper|rerank|tts|moderation/i;
  const reported = [...served.keys()].filter((id) => !otherUse.test(id));
  const hasCatalogue = reported.length === 0 || catalogueIds.some((id) => reported.includes(id));
  const models = bySize(new Set([...(hasCatalogue ? catalogueIds : []), ...reported]), served);
  const fitting = models.find(({ window }) => window >= tokens) ?? models.at(-1);
  return fitting?.id ?? 'origin';
}

const count = (value: number) => value.toLocaleString('en-US');

/** The next larger model of the service's list, else of the catalogue; undefined if none is larger. */
export function largerModel(window: number, served = noWindows): string | undefined {
  const ids = served.size === 0 ? catalogueIds : served.keys();
  return bySize(ids, served).find((model) => model.window > window)?.id;
}

/**
 * Compares a request with the model's window.
 * @param estimate tokens of the input and of the requested output
 * @param modelSwitch option or slash command for the model
 */
export function contextFit(
  model: string,
  estimate: number,
  served = noWindows,
  modelSwitch: '-m' | '/model' = '-m',
) {
  // Undefined if neither the service nor the contract's catalogue has one.
  const window = contextWindow(model, served);
  const request = { model, window, estimate, warning: undefined };
  if (window === undefined || estimate < window * warningShare) {
    return { ...request, state: 'fits' } as const;
  }
  const state = estimate > window ? 'over' : 'near';
  const larger = largerModel(window, served);
  const others = modelSwitch === '-m' ? '' : '; /compact replaces the older turns with a summary';
  const advice = larger === undefined ? others : `; ${modelSwitch} ${larger} has a larger window`;
  const warning = `~${count(estimate)} tokens, ${state} ${model}'s window of ${count(window)}${advice}`;
  return { ...request, state, warning } as const;
}

/**
 * Refuses a prompt that cannot fit with any tokenizer: an estimate may be wrong, but more than 128 bytes per token of
 * the window are too many.
 * @throws Failure of kind `invalid_request`
 */
export function refuseImpossible(model: string, promptBytes: number, served = noWindows): void {
  const window = contextWindow(model, served);
  if (window === undefined || promptBytes <= window * maxBytesPerToken) return;
  throw new Failure(
    'invalid_request',
    `the prompt has ${count(promptBytes)} bytes, which cannot fit ${model}'s window of ${count(window)} tokens`,
    // Real text this long would not fit a larger model either.
    {
      hint: 'send less text; ‹natter --split auto› sends it in pieces',
      remedy: { code: 'shorten-prompt' },
    },
  );
}
