import type { Candidate } from './composer/completion.ts';
import type { Repl, Session } from './session.ts';
import type { Update, ReplState } from './state.ts';

/** The arguments that remove a setting. */
export const offWords: ReadonlySet<string> = new Set(['off', 'none']);

/** A path as it is typed for a shell: quotes around it are not part of it. */
export const unquoted = (path: string) => path.replace(/^(["'])(.+)\1$/, '$2');

/** The commands that `/help` lists below a title, and after `/help NAME`. */
export interface CommandGroup {
  readonly name: string;
  readonly title: string;
  readonly commands: readonly SlashCommand[];
}

export interface SlashCommand {
  /** The name has no slash. */
  readonly name: string;
  /** The argument as `/help` shows it: `[n]`, `<path>`. A command without it refuses arguments. */
  readonly argument?: string;
  /** One line without a full stop. With the usage, it has 79 columns in `/help all`. */
  readonly summary: string;
  /** A line to type, for `/help NAME`; every command with an argument has one. */
  readonly example?: string;
  /** What its argument may be. */
  readonly completes?: 'files' | ((repl: Repl, state: ReplState) => readonly Candidate[]);
  /** Runs at once, even during an answer; other commands are queued. */
  readonly isImmediate?: boolean;
  readonly takesLines?: boolean;
  /** Has no output, so the transcript does not show the command either. */
  readonly isSilent?: boolean;
  /** Its output is that of `showNow`: while an answer is written, the transcript has neither that nor the command. */
  readonly showsNow?: boolean;
  /** Works, but neither the menu nor `/help` lists it, because another command does the same or few need it. */
  readonly isUnlisted?: boolean;
  readonly needsLiveRegion?: boolean;
  /** `argument` is trimmed; empty if absent. */
  readonly run: (state: ReplState, argument: string) => Update;
}

export const redraw = ({ screen }: Session): void => screen.redraw();
