/** A finished piece of the transcript. Texts are untrusted: the transcript sanitizes them. */
export type Entry =
  /** `needsEcho`: queued, generated or shown again, so the terminal has not echoed it here. */
  | { readonly type: 'prompt'; readonly text: string; readonly needsEcho?: boolean }
  | { readonly type: 'command'; readonly text: string; readonly needsEcho?: boolean }
  /** An earlier answer, shown again. */
  | { readonly type: 'answer'; readonly text: string; readonly model: string | undefined }
  | { readonly type: 'notice'; readonly text: string }
  | { readonly type: 'failure'; readonly message: string; readonly hint?: string | undefined };

export function notice(text: string): Entry {
  return { type: 'notice', text };
}

export function failureEntry(message: string, hint?: string): Entry {
  return { type: 'failure', message, hint };
}
