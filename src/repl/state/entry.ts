/** A finished piece of the transcript. Texts may come from anywhere: who shows them sanitizes them. */
export type Entry =
  /** `isEarlier`: it is shown again, or it waited, so it does not stand where it was typed. */
  | { readonly type: 'prompt'; readonly text: string; readonly isEarlier?: boolean }
  /** A slash command that is run. */
  | { readonly type: 'command'; readonly text: string; readonly isEarlier?: boolean }
  /** An answer that came earlier, shown again. */
  | { readonly type: 'answer'; readonly text: string; readonly model: string | undefined }
  /** Something natter says; each line is one. */
  | { readonly type: 'notice'; readonly text: string }
  | { readonly type: 'failure'; readonly message: string; readonly hint?: string | undefined };

export function notice(text: string): Entry {
  return { type: 'notice', text };
}

export function failureEntry(message: string, hint?: string): Entry {
  return { type: 'failure', message, hint };
}
