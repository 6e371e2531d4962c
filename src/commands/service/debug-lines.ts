import type { ChatEvent, RetryScheduled } from '../../client/events.ts';

const inMilliseconds = (duration: number) => `${Math.round(duration)} ms`;

export function describeRetry({ retry, retries, delay, cause }: RetryScheduled): string {
  return `retry ${retry} of ${retries} in ${inMilliseconds(delay)}: ${cause.message}`;
}

/** Describes an event `elapsed` milliseconds after the call started; undefined for deltas. */
export function describeEvent(event: ChatEvent, elapsed: number): string | undefined {
  switch (event.type) {
    case 'retry-scheduled':
      return describeRetry(event);
    case 'answer-started': {
      const request = event.requestId === undefined ? '' : `, request ${event.requestId}`;
      return `attempt ${event.attempt} is answered after ${inMilliseconds(elapsed)}${request}`;
    }
    case 'answer-finished': {
      const reason = event.finishReason === undefined ? '' : `, ${event.finishReason}`;
      return `the answer is complete after ${inMilliseconds(elapsed)}${reason}`;
    }
    case 'answer-named':
    case 'text-received':
    case 'reasoning-received':
    case 'refusal-received':
      return undefined;
  }
}

/** Describes a failed call; `outcome` is the kind of its failure. */
export function describeEnd(outcome: string, elapsed: number): string {
  return `${outcome} after ${inMilliseconds(elapsed)}`;
}
