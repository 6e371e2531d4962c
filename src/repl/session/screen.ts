import type { ReplState } from '../state/state.ts';

/** The output of a session: a live region, or plain lines. */
export interface Screen {
  /**
   * Appends finished text to the scrollback. Returns a promise while the terminal is slow: await it before the
   * next write.
   */
  write(text: string): Promise<void> | undefined;
  /** Shows the composer, dialogs and status. */
  show(state: ReplState): void;
  /** Redraws after other output may have overwritten the screen. */
  redraw(): void;
  /** Scrolls the window's content into the scrollback. */
  scrollAway(): void;
  /** Lets another program use the terminal while `use` runs. */
  lend<Result>(use: () => Promise<Result>): Promise<Result>;
  /** Suspends natter until the shell continues it. */
  suspend(): void;
  /** Resolves when everything is written and the terminal is restored. */
  close(): Promise<void>;
}
