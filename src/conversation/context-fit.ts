import { catalogue } from '../client/contract.ts';
import { Failure } from '../failure.ts';

/** No known tokenizer packs more bytes of text into one token than this. */
const mostBytesPerToken = 128;
const warningShare = 0.8;

/** How a request stands to a model's window; counts are tokens. */
export interface ContextFit {
  readonly model: string;
  /** Absent for a model of which neither the service nor the contract's catalogue says one. */
  readonly window?: number;
  readonly estimate: number;
  readonly state: 'fits' | 'near' | 'over';
}

/** Windows in tokens by model id, as a service said them. */
export type ModelWindows = ReadonlyMap<string, number>;

const nothingSaid: ModelWindows = new Map();

/** The window that the service said, else the one of the contract's catalogue. */
export function contextWindow(model: string, served = nothingSaid): number | undefined {
  return served.get(model) ?? catalogue.find((entry) => entry.id === model)?.contextWindow;
}

/** Models and their windows, the smallest first. */
function bySize(ids: Iterable<string>, served: ModelWindows) {
  return [...ids]
    .map((id) => ({ id, window: contextWindow(id, served) ?? 0 }))
    .sort((left, right) => left.window - right.window);
}

const catalogueIds = catalogue.map(({ id }) => id);

/** The most bytes of prompt that could fit any model of the catalogue. */
export const largestPromptBytes =
  Math.max(...catalogue.map((entry) => entry.contextWindow)) * mostBytesPerToken;

/** The smallest model of the catalogue whose window holds `tokens`; the largest where none does. */
export function smallestModelFor(tokens: number, served = nothingSaid): string {
  const models = bySize(catalogueIds, served);
  const fitting = models.find(({ window }) => window >= tokens) ?? models.at(-1);
  return fitting?.id ?? 'origin';
}

/** Compares an estimate (input and the asked-for output, tokens) with the model's window. */
export function contextFit(model: string, estimate: number, served = nothingSaid): ContextFit {
  const window = contextWindow(model, served);
  if (window === undefined) return { model, estimate, state: 'fits' };
  const state = estimate > window ? 'over' : estimate >= window * warningShare ? 'near' : 'fits';
  return { model, window, estimate, state };
}

const count = (value: number) => value.toLocaleString('en-US');

/** The next larger model: of those that the service said, else of the catalogue; undefined where none is. */
export function largerModel(window: number, served = nothingSaid): string | undefined {
  const ids = served.size === 0 ? catalogueIds : served.keys();
  return bySize(ids, served).find((model) => model.window > window)?.id;
}

/**
 * A warning with the numbers; undefined where the request fits comfortably. `modelSwitch` is what the user types
 * before a model to choose it.
 */
export function contextWarning(
  fit: ContextFit,
  served = nothingSaid,
  modelSwitch: '-m' | '/model' = '-m',
): string | undefined {
  if (fit.window === undefined || fit.state === 'fits') return undefined;
  const larger = largerModel(fit.window, served);
  const advice = larger === undefined ? '' : `; ${modelSwitch} ${larger} has a larger window`;
  const relation = fit.state === 'over' ? 'over' : 'near';
  return `~${count(fit.estimate)} tokens, ${relation} ${fit.model}'s window of ${count(fit.window)}${advice}`;
}

/**
 * Refuses what no tokenizer could fit: estimates may be wrong, so only a prompt past 128 bytes for each token of
 * the window is certain.
 * @throws Failure of kind `invalid_request`
 */
export function refuseImpossible(model: string, promptBytes: number, served = nothingSaid): void {
  const window = contextWindow(model, served);
  if (window === undefined || promptBytes <= window * mostBytesPerToken) return;
  throw new Failure(
    'invalid_request',
    `the prompt has ${count(promptBytes)} bytes, which cannot fit ${model}'s window of ${count(window)} tokens`,
    // What is too much for the smaller model by this measure is, as any real text, for the larger one too.
    { hint: 'send less text' },
  );
}
