import type { Step } from '../reducer/step.ts';
import type { ReplState } from '../state/state.ts';

/** The source of completions for a command's argument. */
export type ArgumentSource = 'models' | 'conversations' | 'themes' | 'files' | 'commands' | 'none';

export interface SlashCommand {
  /** Without the slash. */
  readonly name: string;
  /** As shown in `/help`: `[n]`, `<path>`; empty for none. */
  readonly argument: string;
  /** One line without a full stop. */
  readonly summary: string;
  readonly completes: ArgumentSource;
  /** Runs at once, even during an answer; other commands are queued. */
  readonly isImmediate?: boolean;
  /** The argument may have several lines. */
  readonly takesLines?: boolean;
  /** Has no output of its own, so the command itself is not shown in the transcript. */
  readonly isSilent?: boolean;
  /** Concerns the live region; not available in line mode. */
  readonly isOfScreen?: boolean;
  /** `argument` is trimmed; empty if absent. */
  readonly run: (state: ReplState, argument: string) => Step;
}
