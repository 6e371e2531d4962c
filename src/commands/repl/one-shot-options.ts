import { Failure } from '../../failure.ts';
import type { ChatOptions } from '../chat/run.ts';

const oneShot = ['fallback', 'every', 'split'] as const;

/** @throws Failure `usage` for an option that a conversation on a terminal does not have */
export function refuseOneShotOptions(options: ChatOptions): void {
  const found = oneShot.find((name) => options[name] !== undefined);
  if (found === undefined) return;
  throw new Failure('usage', `--${found} needs a prompt that is sent at once`, {
    hint: `for example: natter --${found} ${String(options[found])} "why is the sky blue?"`,
  });
}
