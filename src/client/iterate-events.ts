import type { TakeEvent } from './chat-attempt.ts';
import type { ChatEvent } from './events.ts';

/** An event, and the sender that waits until it is taken. */
interface Delivery {
  readonly event: ChatEvent;
  readonly taken: () => void;
  readonly stop: (reason: Error) => void;
}

interface Outcome {
  readonly error?: unknown;
  readonly isFailed: boolean;
}

/**
 * The events that `send` delivers, one for each step of the iteration; `send` waits between them. Ending the iteration
 * early makes the delivery fail, and waits until `send` has ended.
 * @throws any error of `send`
 */
export async function* iterateEvents(
  send: (take: TakeEvent) => Promise<void>,
): AsyncGenerator<ChatEvent, void> {
  let delivery: Delivery | undefined;
  let outcome: Outcome | undefined;
  let wake = (): void => {};
  const take = (event: ChatEvent): Promise<void> =>
    new Promise((taken, stop) => {
      delivery = { event, taken, stop };
      wake();
    });
  const run = async (): Promise<void> => {
    try {
      await send(take);
      outcome = { isFailed: false };
    } catch (error) {
      outcome = { isFailed: true, error };
    }
    wake();
  };
  const running = run();
  const change = (): Promise<void> => new Promise((resolve) => (wake = resolve));
  try {
    for (;;) {
      if (delivery === undefined && outcome === undefined) await change();
      const { event, taken } = delivery ?? {};
      if (event === undefined) break;
      yield event;
      delivery = undefined;
      taken?.();
    }
  } finally {
    delivery?.stop(new Error('the caller stopped reading the answer'));
    await running;
  }
  if (outcome?.isFailed === true) throw outcome.error;
}
