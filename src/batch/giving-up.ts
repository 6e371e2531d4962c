import type { Failure, FailureKind } from '../failure.ts';

/** Notices that the service, and not an item, is what fails. */
export interface GivingUp {
  answered(): void;
  /** @returns whether to begin nothing more */
  failed(failure: Failure): boolean;
}

/** What the next item would meet as well. */
const certain: ReadonlySet<FailureKind> = new Set(['unauthorized', 'configuration']);
/** What lies in the item itself. */
const ofItems: ReadonlySet<FailureKind> = new Set(['usage', 'invalid_request', 'incomplete']);

/**
 * @param most failures in a row, of any cause but the item's own, after which to give up
 * @param isReplay a recording answers: that it lacks an item says nothing about the next one
 */
export function createGivingUp(most: number, isReplay = false): GivingUp {
  let inRow = 0;
  return {
    answered() {
      inRow = 0;
    },
    failed({ kind }) {
      if (ofItems.has(kind) || (isReplay && kind === 'configuration')) return false;
      inRow += 1;
      return certain.has(kind) || inRow >= most;
    },
  };
}
