// What completion knows of natter's commands: plain data that the build writes from the command tree, because to load
// and build the tree itself takes a shell's user longer than all the rest.

/** An option that is shown in a command's help. */
export interface CompletedOption {
  /** With its dashes, as `--model`. */
  readonly long?: string | undefined;
  readonly short?: string | undefined;
  readonly description: string;
  /** Whether the word after it is its value; an optional value cannot start with a dash. */
  readonly value: 'none' | 'optional' | 'required';
  readonly choices?: readonly string[] | undefined;
  /** It says how a service is reached. */
  readonly isOfService: boolean;
}

export interface CompletedArgument {
  readonly name: string;
  readonly isVariadic: boolean;
  readonly choices?: readonly string[] | undefined;
}

export interface CompletedCommand {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  /** Its own, without those of the commands above. */
  readonly options: readonly CompletedOption[];
  readonly arguments: readonly CompletedArgument[];
  readonly commands: readonly CompletedCommand[];
  /** Whether the options of a service mean anything to it. */
  readonly reachesService: boolean;
  /** It takes no options of the command it belongs to. */
  readonly isApart: boolean;
}

/** The command below another that is called so. */
export function childNamed(
  { commands }: CompletedCommand,
  word: string,
): CompletedCommand | undefined {
  return commands.find(({ name, aliases }) => [name, ...aliases].includes(word));
}

/** One word that may be completed to, and what it means. */
export interface Candidate {
  readonly value: string;
  readonly description: string;
}

/** `files` leaves it to the shell, which knows paths better. */
export type Candidates = readonly Candidate[] | 'files';
