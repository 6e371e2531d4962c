import type { Step } from '../reducer/step.ts';
import type { ReplState } from '../state/state.ts';

/** What Tab proposes for a command's argument. */
export type ArgumentSource = 'models' | 'conversations' | 'themes' | 'files' | 'commands' | 'none';

/** One row of the table of slash commands. */
export interface SlashCommand {
  /** Without the slash. */
  readonly name: string;
  /** As shown in `/help`: `[n]`, `<path>`; empty for none. */
  readonly argument: string;
  /** One line without a full stop. */
  readonly summary: string;
  readonly completes: ArgumentSource;
  /** It runs at once, also while an answer comes; other commands wait for their turn. */
  readonly isImmediate?: boolean;
  /** Its argument may have several lines; other commands take one. */
  readonly takesLines?: boolean;
  /** It says nothing, so that it is not shown before what it says either. */
  readonly isSilent?: boolean;
  /** It is about the live region; line mode does without it. */
  readonly isOfScreen?: boolean;
  /** `argument` is trimmed; empty when there was none. */
  readonly run: (state: ReplState, argument: string) => Step;
}
