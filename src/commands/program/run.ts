import { present, type Presentation } from '../print/presentation.ts';
import type { Context } from './context.ts';
import type { GlobalOptions } from './global-options.ts';

/** A command that runs: the outside world, its options, and how it shows output. Made at its start, passed whole. */
export interface Run<Options extends GlobalOptions> {
  readonly context: Context;
  readonly options: Options;
  readonly presentation: Presentation;
}

/** @throws Failure `configuration` for a variable of the environment that cannot be used */
export async function startRun<Options extends GlobalOptions>(
  context: Context,
  options: Options,
): Promise<Run<Options>> {
  return { context, options, presentation: await present(context, options) };
}
