/** Decides how long refused items wait while nothing is answered. Times are monotonic milliseconds. */
export interface Patience {
  answered(now: number): void;
  /** A new item; its refusals count only since the latest answer of any item. */
  beginItem(): ItemPatience;
}

interface ItemPatience {
  /**
   * The item was refused.
   * @param retryAfter milliseconds; undefined without a Retry-After
   * @param others requests in progress
   * @returns the milliseconds until it may be sent again; undefined if the service has answered nothing for too long
   */
  refused(now: number, retryAfter: number | undefined, others: number): number | undefined;
}

export interface PatienceOptions {
  readonly retries: number;
  /** Milliseconds; the longest Retry-After to wait for, and with `Infinity` any. */
  readonly maxWait: number;
  /** Monotonic milliseconds at which the run began. */
  readonly since: number;
}

/** Milliseconds, of an item without a Retry-After. */
const firstBackoff = 500;
const maxBackoff = 8000;

export function createPatience({ retries, maxWait, since }: PatienceOptions): Patience {
  let answers = 0;
  let lastAnswer = since;
  const isOver = (now: number) => maxWait === Infinity || now - lastAnswer >= maxWait;
  const beginItem = (): ItemPatience => {
    let refusals = 0;
    let answersSeen = answers;
    return {
      refused(now, retryAfter, others) {
        if (answersSeen !== answers) refusals = 0;
        answersSeen = answers;
        refusals += 1;
        const isSilent = answers === 0 ? retries === 0 : now - lastAnswer >= maxWait;
        const isLongWait = retryAfter !== undefined && retryAfter > maxWait;
        const isExhausted = refusals > retries && (isSilent || isOver(now));
        const isHopeless = isExhausted || (isLongWait && (answers === 0 || isSilent));
        if (others === 0 && isHopeless) return undefined;
        return Math.min(retryAfter ?? backoff(refusals), maxWait);
      },
    };
  };
  return {
    answered(now) {
      answers += 1;
      lastAnswer = now;
    },
    beginItem,
  };
}

const backoff = (refusals: number): number =>
  Math.min(maxBackoff, firstBackoff * 2 ** (refusals - 1));
