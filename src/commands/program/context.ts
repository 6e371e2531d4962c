import type { Command } from 'commander';
import type { ClientOptions } from '../../client/client.ts';
import type { ProgramClock } from '../../clock.ts';
import type { CompletedCommand } from '../completion/tree.ts';
import type { Secrets } from './secrets.ts';
import type { Environment } from '../../environment.ts';
import type { ProcessFacts } from '../../storage/lock/process-facts.ts';
import type { Ask } from '../../terminal/device/ask.ts';
import type { TerminalDevice } from '../../terminal/device/device.ts';
import type { Streams } from '../../terminal/device/streams.ts';

/** What the services of one run share: it may open several, for a fallback or a comparison. */
interface SharedByServices {
  /** Client options that record all exchanges, or replay them; undefined before the first service that does. */
  recording?: Promise<Partial<ClientOptions>>;
  /** Keys that commands printed, by command. */
  readonly printedKeys: Map<string, Promise<string>>;
}

/** Everything of the outside world that a command may touch. */
export interface Context {
  readonly streams: Streams;
  readonly ask: Ask;
  /** Standard input and output as one terminal, for the REPL. */
  readonly device: TerminalDevice;
  readonly environment: Environment;
  readonly clock: ProgramClock;
  /** A number from 0 up to 1, as `Math.random`. */
  readonly random: () => number;
  /** Aborts on a signal, or when the reader closes standard output. */
  readonly signal: AbortSignal;
  readonly process: ProcessFacts;
  readonly platform: NodeJS.Platform;
  /** Undefined if the system has none. */
  readonly homeDirectory: string | undefined;
  readonly version: string;
  readonly secrets: Secrets;
  readonly shared: SharedByServices;
  /** natter's whole command tree. */
  readonly commands: () => CompletedCommand;
}

/** The work of a command; `words` are its arguments. */
export type Action<Options, Words extends readonly unknown[] = []> = (
  context: Context,
  options: Options,
  ...words: Words
) => Promise<void>;

/**
 * Sets what a command does: the function that `load` imports is called with the context, the options and the words.
 * The function decides the types of its options and words; commander knows only their names.
 */
export function setAction(
  command: Command,
  context: Context,
  load: () => Promise<Action<never, never[]>>,
): Command {
  return command.action(async () => {
    const run = await load();
    await run(context, command.optsWithGlobals(), ...(command.processedArgs as never[]));
  });
}
