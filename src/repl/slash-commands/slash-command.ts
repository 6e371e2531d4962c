import type { Step } from '../reducer/step.ts';
import type { ReplState } from '../state/state.ts';

/** The source of completions for a command's argument. */
export type ArgumentSource = 'models' | 'conversations' | 'themes' | 'files' | 'commands';

export interface SlashCommand {
  /** Without the slash. */
  readonly name: string;
  /** As shown in `/help`: `[n]`, `<path>`. A command without it refuses arguments. */
  readonly argument?: string;
  /** The hint of that refusal; by default the command to type. */
  readonly surplusHint?: string;
  /** One line without a full stop. */
  readonly summary: string;
  readonly completes?: ArgumentSource;
  /** Runs at once, even during an answer; other commands are queued. */
  readonly isImmediate?: boolean;
  /** The argument may have several lines. */
  readonly takesLines?: boolean;
  /** Has no output, so the transcript does not show the command either. */
  readonly isSilent?: boolean;
  /** Not available in line mode. */
  readonly needsLiveRegion?: boolean;
  /** `argument` is trimmed; empty if absent. */
  readonly run: (state: ReplState, argument: string) => Step;
}
