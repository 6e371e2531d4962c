import { catalogue } from '../client/contract.ts';
import { Failure } from '../failure.ts';

/** No known tokenizer packs more bytes of text into one token than this. */
const mostBytesPerToken = 128;
const warningShare = 0.8;

/** How a request stands to a model's window; counts are tokens. */
export interface ContextFit {
  readonly model: string;
  /** Absent for a model outside the contract's catalogue: nothing is known about it. */
  readonly window?: number;
  readonly estimate: number;
  readonly state: 'fits' | 'near' | 'over';
}

export function contextWindow(model: string): number | undefined {
  return catalogue.find((entry) => entry.id === model)?.contextWindow;
}

/** The most bytes of prompt that could fit any model of the catalogue. */
export const largestPromptBytes =
  Math.max(...catalogue.map((entry) => entry.contextWindow)) * mostBytesPerToken;

/** The smallest model of the catalogue whose window holds `tokens`; the largest where none does. */
export function smallestModelFor(tokens: number): string {
  const bySize = [...catalogue].sort((left, right) => left.contextWindow - right.contextWindow);
  const fitting = bySize.find((entry) => entry.contextWindow >= tokens) ?? bySize.at(-1);
  return fitting?.id ?? 'origin';
}

/** Compares an estimate (input and the asked-for output, tokens) with the model's window. */
export function contextFit(model: string, estimate: number): ContextFit {
  const window = contextWindow(model);
  if (window === undefined) return { model, estimate, state: 'fits' };
  const state = estimate > window ? 'over' : estimate >= window * warningShare ? 'near' : 'fits';
  return { model, window, estimate, state };
}

const count = (value: number) => value.toLocaleString('en-US');

/** The first model of the catalogue whose window is larger; undefined where none is. */
export function largerModel(window: number): string | undefined {
  return catalogue.find((entry) => entry.contextWindow > window)?.id;
}

/** One sentence of warning with numbers, or undefined where the request fits comfortably. */
export function contextWarning(fit: ContextFit): string | undefined {
  if (fit.window === undefined || fit.state === 'fits') return undefined;
  const larger = largerModel(fit.window);
  const advice = larger === undefined ? '' : `; -m ${larger} has a larger window`;
  const relation = fit.state === 'over' ? 'over' : 'near';
  return `about ${count(fit.estimate)} tokens, ${relation} ${fit.model}'s window of ${count(fit.window)}${advice}`;
}

/**
 * Refuses what no tokenizer could fit: estimates may be wrong, so only a prompt past 128 bytes for each token of
 * the window is certain.
 * @throws Failure of kind `invalid_request`
 */
export function refuseImpossible(model: string, promptBytes: number): void {
  const window = contextWindow(model);
  if (window === undefined || promptBytes <= window * mostBytesPerToken) return;
  throw new Failure(
    'invalid_request',
    `the prompt has ${count(promptBytes)} bytes, which cannot fit ${model}'s window of ${count(window)} tokens`,
    // What is too much for the smaller model by this measure is, as any real text, for the larger one too.
    { hint: 'send less text' },
  );
}
