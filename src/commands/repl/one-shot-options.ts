import { Failure } from '../../failure.ts';
import type { ChatOptions } from '../chat/chat-run.ts';

interface Need {
  readonly need: string;
  readonly example: (value: string) => string;
}

const needs: Readonly<Record<'fallback' | 'every' | 'split', Need>> = {
  fallback: {
    need: 'a prompt that is sent at once',
    example: (models) => `natter --fallback ${models} "why is the sky blue?"`,
  },
  every: {
    need: 'standard input that is piped in',
    example: (sizes) => `tail -f app.log | natter --every ${sizes} "flag anomalies"`,
  },
  split: {
    need: 'a prompt that is sent at once',
    example: (border) => `natter --split ${border} -f book.txt "sum up"`,
  },
};
const oneShot = ['fallback', 'every', 'split'] as const;

/** @throws Failure `usage` for an option that a conversation on a terminal does not have */
export function refuseOneShotOptions(options: ChatOptions): void {
  const found = oneShot.find((name) => options[name] !== undefined);
  if (found === undefined) return;
  const { need, example } = needs[found];
  throw new Failure('usage', `--${found} needs ${need}`, {
    hint: `for example: ${example(String(options[found]))}`,
  });
}
