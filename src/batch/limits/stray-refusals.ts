import type { Epoch } from './request-log.ts';

/** Refusals that no limit explains: cutting limits does not prevent them, so it would only slow the run down. */
export interface StrayRefusals {
  /** Part of the requests whose refusal is expected; 0 if refusals are explained by limits. */
  readonly share: number;
  /** Counts a request that was not refused. */
  admitted(): void;
  /** @returns whether the refusal is one of those that are expected */
  expects(): boolean;
  /** Counts a refusal of a request that was sent before the last cut. */
  refusedBefore(): void;
  /** Counts a refusal below the limits. @returns whether such refusals are expected from now on */
  learn(epoch: Epoch): boolean;
}

/** Cuts after which refusals went on. */
const futileCuts = 5;
/** Requests between two refusals; with more, the cuts have helped. */
const most = 400;
/** Part of the requests that is refused; with more, the cuts are not futile but too small. */
const maxShare = 0.15;
/** Refusals above the expected share, and refusals in a row, that show a real limit. */
const maxExcess = 10;
const maxInRow = 5;

const nothing = { cuts: 0, admitted: 0, refused: 0 };

const addCut = (sum: typeof nothing, admitted: number, refused: number): typeof nothing => ({
  cuts: sum.cuts + 1,
  admitted: sum.admitted + admitted,
  refused: sum.refused + refused,
});

export function createStrayRefusals(): StrayRefusals {
  let share = 0;
  let excess = 0;
  let inRow = 0;
  let futile = nothing;
  return {
    get share() {
      return share;
    },
    admitted() {
      inRow = 0;
      excess = Math.max(0, excess - share);
    },
    expects() {
      if (share === 0) return false;
      excess += 1;
      inRow += 1;
      if (excess <= maxExcess && inRow <= maxInRow) return true;
      share = 0;
      futile = nothing;
      return false;
    },
    refusedBefore() {
      futile = { ...futile, refused: futile.refused + 1 };
    },
    learn({ admitted, refused }) {
      futile = admitted >= most ? nothing : addCut(futile, admitted, refused);
      if (futile.cuts < futileCuts) return false;
      const found = futile.refused / (futile.admitted + futile.refused);
      if (found > maxShare) {
        futile = nothing;
        return false;
      }
      share = Math.min(maxShare, 2 * found);
      excess = 0;
      inRow = 0;
      return true;
    },
  };
}
