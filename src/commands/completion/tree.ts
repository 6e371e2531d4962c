// The command tree as plain data, which the build writes for completion: to build the tree itself would take longer than
// the rest of the completion.

export interface CompletedOption {
  /** With its dashes, as `--model`. */
  readonly long?: string | undefined;
  readonly short?: string | undefined;
  readonly description: string;
  /** Whether the word after it is its value; an optional value cannot start with a dash. */
  readonly value: 'none' | 'optional' | 'required';
  readonly choices?: readonly string[] | undefined;
  /** Whether it is about reaching the service. */
  readonly isServiceOption: boolean;
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
  /** Without those of its parents. */
  readonly options: readonly CompletedOption[];
  readonly arguments: readonly CompletedArgument[];
  readonly commands: readonly CompletedCommand[];
  /** Whether it uses a service. */
  readonly reachesService: boolean;
  /** Whether it does not take the options of its parent. */
  readonly hidesParentOptions: boolean;
}

/** The subcommand with this name or alias. */
export function childNamed(
  { commands }: CompletedCommand,
  word: string,
): CompletedCommand | undefined {
  return commands.find(({ name, aliases }) => [name, ...aliases].includes(word));
}

export interface Candidate {
  readonly value: string;
  readonly description: string;
}

/** `files`: the shell completes paths, alone or after the candidates. */
export type Candidates =
  | readonly Candidate[]
  | 'files'
  | { readonly candidates: readonly Candidate[]; readonly files: boolean };

/** Candidates in their longest form. */
export function withFiles(found: Candidates): Exclude<Candidates, readonly Candidate[] | 'files'> {
  if (found === 'files') return { candidates: [], files: true };
  return 'files' in found ? found : { candidates: found, files: false };
}
