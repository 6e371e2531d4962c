import type { Context } from './context.ts';

/** The work of a command: what it may touch, then its options, then the words of the command line in their order. */
export type Run<Options, Words extends readonly unknown[] = []> = (
  context: Context,
  options: Options,
  ...words: Words
) => Promise<void>;
