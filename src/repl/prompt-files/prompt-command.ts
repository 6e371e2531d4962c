import type { Variable } from '../../prompt-files/front-matter-keys.ts';

/** A variable of a prompt file; one without a default needs a value. */
export type PromptVariable = Omit<Variable, 'place'>;

/** What has to be known of a prompt file before it is filled. */
export interface OpenedPrompt {
  readonly name: string;
  /** The model of its answer, if the file names one. */
  readonly model?: string;
  readonly variables: readonly PromptVariable[];
  /** What the text after the name is, if the file needs one. */
  readonly neededText?: string;
}

/** A prompt file with its values. */
export interface PromptUse {
  readonly name: string;
  readonly values: Readonly<Record<string, string>>;
  /** The text after the name and the values. */
  readonly text: string;
}

/** A prompt file that waits for values. */
export interface PendingPrompt {
  readonly prompt: OpenedPrompt;
  readonly values: Readonly<Record<string, string>>;
  readonly text: string;
  /** The text that was typed. */
  readonly line: string;
  /** The variables to ask for, and `undefined` for the text; the first one is being asked for. */
  readonly missing: readonly (PromptVariable | undefined)[];
}
