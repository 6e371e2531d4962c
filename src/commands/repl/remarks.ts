import type { JournalOptions } from '../../conversation/journal/journal.ts';
import type { Notices } from '../../output/notices.ts';
import type { Presentation } from '../print/presentation.ts';

/** What is told beside the conversation: on standard error before and after the session, inside it meanwhile. */
export interface Remarks {
  readonly presentation: Presentation;
  readonly journalOptions: JournalOptions;
  readonly say: (text: string) => void;
  /** Where remarks go from now on; undefined is standard error. */
  passTo(listener: ((text: string) => void) | undefined): void;
}

export function createRemarks(
  shown: Presentation,
  clean: (text: string) => string,
  journalOptions: (notices: Notices) => JournalOptions,
): Remarks {
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
    say: (text) => notices.notice(text),
    passTo: (next) => (listener = next),
  };
}
