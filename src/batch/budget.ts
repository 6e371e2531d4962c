/** What items use: tokens of prompts and answers, and their cost. */
export interface Expense {
  readonly tokens: number;
  readonly cost: number;
}

export interface Budget {
  /** Reserves the estimated expense of an item. @returns false if it does not fit; nothing is reserved then */
  reserve(index: number, estimate: Expense): boolean;
  /** Replaces the reserved expense of an item by the actual one. */
  settle(index: number, actual: Expense): void;
  /** Resolves with the next {@link Budget.settle}; undefined if nothing is reserved. */
  settled(): Promise<void> | undefined;
}

/** Rounding errors of sums are smaller than this share. */
const tolerance = 1e-9;

const fits = (amount: number, most: number) => amount <= most * (1 + tolerance);

/** @param most the limits; `Infinity` is none */
export function createBudget(most: Expense): Budget {
  const reserved = new Map<number, Expense>();
  let tokens = 0;
  let cost = 0;
  let wake: (() => void) | undefined;
  let next: Promise<void> | undefined;
  const add = (expense: Expense, sign: 1 | -1) => {
    tokens += sign * expense.tokens;
    cost += sign * expense.cost;
  };
  return {
    reserve(index, estimate) {
      if (!fits(tokens + estimate.tokens, most.tokens)) return false;
      if (!fits(cost + estimate.cost, most.cost)) return false;
      reserved.set(index, estimate);
      add(estimate, 1);
      return true;
    },
    settle(index, actual) {
      const estimate = reserved.get(index);
      if (estimate !== undefined) add(estimate, -1);
      reserved.delete(index);
      add(actual, 1);
      wake?.();
      next = undefined;
    },
    settled() {
      if (reserved.size === 0) return undefined;
      next ??= new Promise((resolve) => (wake = resolve));
      return next;
    },
  };
}
