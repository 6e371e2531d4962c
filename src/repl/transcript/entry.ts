/** Below an answer. */
export interface Closing {
  readonly type: 'closing';
  /** Model, time and tokens, as far as they are known. */
  readonly facts: readonly string[];
  /** `version 2/3`; undefined for the only one. */
  readonly version: string | undefined;
  /** ` (1 origin, 2 nextgen)`; empty if one model wrote all versions. */
  readonly models: string;
}

/** A finished piece of the transcript. Texts are untrusted: the transcript sanitizes them. */
export type Entry =
  /** `needsEcho`: queued, generated or shown again, so the terminal has not echoed it here. */
  | { readonly type: 'prompt'; readonly text: string; readonly needsEcho?: boolean }
  | { readonly type: 'command'; readonly text: string; readonly needsEcho?: boolean }
  /** An earlier answer, shown again. */
  | { readonly type: 'answer'; readonly text: string; readonly model: string | undefined }
  | Closing
  /** The first row of a new conversation, whose last parts a narrow window omits. */
  | { readonly type: 'welcome'; readonly parts: readonly string[] }
  /** Whole lines that a shell command printed. */
  | { readonly type: 'output'; readonly text: string }
  | { readonly type: 'notice'; readonly text: string }
  | { readonly type: 'failure'; readonly message: string; readonly hint?: string | undefined };

export function notice(text: string): Entry {
  return { type: 'notice', text };
}

export function failureEntry(message: string, hint?: string): Entry {
  return { type: 'failure', message, hint };
}
