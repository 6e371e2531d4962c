/** How the session makes summaries of older turns. */
export interface CompactionState {
  /** At 80% of the window, without being asked. */
  readonly isAutomatic: boolean;
  /** The last one failed, so the next is made only on request. */
  readonly hasFailed: boolean;
}
