import type { ReplState } from '../state/state.ts';

/** Where a session is seen: the live region of a terminal, or plain lines. */
export interface Screen {
  /**
   * Finished text for the scrollback; it goes on where the last one ended. A promise while the terminal is
   * slow: await it before the next.
   */
  write(text: string): Promise<void> | undefined;
  /** Shows what the person can still change or waits for. */
  show(state: ReplState): void;
  /** Draws again what may have been overwritten. */
  redraw(): void;
  /** Scrolls the window's content away, into the scrollback. */
  scrollAway(): void;
  /** Gives the terminal to another program for as long as `use` takes. */
  lend<Result>(use: () => Promise<Result>): Promise<Result>;
  /** Stops natter until the shell lets it go on. */
  suspend(): void;
  /** Resolves when everything is written and the terminal is as it was. */
  close(): Promise<void>;
}
