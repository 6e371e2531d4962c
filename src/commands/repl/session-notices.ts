import type { JournalOptions } from '../../conversation/journal/journal-file.ts';
import type { Notices } from '../../output/notices.ts';
import type { Presentation } from '../print/presentation.ts';

/** Notices of a REPL: in the session while it runs, else on standard error. */
export interface SessionNotices {
  readonly presentation: Presentation;
  readonly journalOptions: JournalOptions;
  readonly notify: (text: string) => void;
  /** Redirects notices; undefined means standard error. */
  redirect(listener: ((text: string) => void) | undefined): void;
}

export function createSessionNotices(
  shown: Presentation,
  clean: (text: string) => string,
  journalOptions: (notices: Notices) => JournalOptions,
): SessionNotices {
  let listener: ((text: string) => void) | undefined;
  const pass = (text: string, otherwise: (text: string) => void) => {
    if (listener === undefined) otherwise(text);
    else listener(clean(text));
  };
  const notices: Notices = {
    notice: (text) => pass(text, (plain) => shown.notices.notice(plain)),
    warning: (text) => pass(text, (plain) => shown.notices.warning(plain)),
  };
  return {
    presentation: {
      ...shown,
      notices,
      debugLog: (text) => pass(`debug: ${text}`, () => shown.debugLog(text)),
    },
    journalOptions: journalOptions(notices),
    notify: (text) => notices.notice(text),
    redirect: (next) => (listener = next),
  };
}
