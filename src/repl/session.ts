import {
  setBaseUrlHint,
  timeoutOptions,
  type FrontEndHints,
  hintOf,
  toFailure,
} from '../output/ending-failure.ts';
import type { ChatOptions } from '../commands/chat/chat-run.ts';
import type { Journal } from '../conversation/journal/journal.ts';
import { withCommands } from '../failure.ts';
import type { Context, Run } from '../run.ts';
import { cleanLine } from '../secrets/secrets.ts';
import type { FailureText, ReplState, Update } from './state.ts';
import type { ReplLibrary } from './conversations/library.ts';
import type { Entry, Transcript } from './transcript/transcript.ts';
import type { ReplFiles } from './files/user-files.ts';
import type { createReplMemory } from './memory.ts';
import type { ReplService } from './service.ts';

/** What a conversation works with. It is made once, and passed whole. */
export interface Repl extends Run<ChatOptions> {
  /** Plain labelled lines, for screen readers and dumb terminals, instead of the live region. */
  readonly isLineMode: boolean;
  readonly service: ReplService;
  readonly library: ReplLibrary;
  readonly files: ReplFiles;
  readonly memory: ReturnType<typeof createReplMemory>;
}

/** The output of a session: a live region, or plain lines. */
export interface Screen {
  /** Appends to the scrollback. Returns a promise while the terminal is slow: await it before the next write. */
  write(text: string): Promise<void> | undefined;
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

/** What can be stopped apart: an answer or command by default, a side question, and the request for a title. */
export type Work = 'activity' | 'btw' | 'title';

/** A conversation in progress, as tasks use it. */
export interface Session extends Repl {
  readonly screen: Screen;
  readonly transcript: Transcript;
  state(): ReplState;
  /** Changes the state, which gets the present time, after the change in progress. */
  update(change: (state: ReplState) => Update): void;
  /** Prints below an answer in progress; a failure becomes an entry. */
  print(entries: readonly Entry[]): void;
  journal(): Journal;
  /** Switches to another conversation and closes the old one. */
  useJournal(journal: Journal): Promise<void>;
  /** Whether the whole conversation is on disk. */
  isStored(): boolean;
  /** A signal for the answer or command that starts, or for a side question; `stop` aborts it. */
  begin(work?: Work): AbortSignal;
  stop(work?: Work): void;
  /** Resolves at the next `hurry`. */
  hurried(): Promise<void>;
  hurry(): void;
  /** Ends the session with an error that cannot be shown as an entry. */
  fail(error: unknown): void;
  /** Stops all activity, saves everything and closes the screen. */
  close(): Promise<void>;
  /** Resolves when the user quits; rejects with an error that cannot be shown as an entry. */
  readonly ended: Promise<void>;
}

export function failureText(error: unknown, context: Context): FailureText {
  const failure = toFailure(error);
  const hint = hintOf(failure, replHints);
  return {
    kind: failure.kind,
    message: cleanLine(context, failure.message),
    hint: hint && cleanLine(context, withCommands(hint)),
  };
}

export const shortenPromptHint =
  '/compact sends a summary of the older turns, /undo removes the last prompt, /model chooses a model with a larger window';

/** Slash commands, and options only for the next start of natter. */
export const replHints: FrontEndHints = {
  'send-again': () => 'the received text is kept',
  'raise-timeout': ({ limit }) =>
    `try again, or restart natter with a longer ${timeoutOptions[limit]}`,
  'wait-until': ({ time, seconds }) =>
    `try again after ${time}, or restart natter with --retry-max-wait ${seconds}s`,
  'slow-down': () => 'wait a moment and try again, or restart natter with more --retries',
  'check-base-url': () => 'check the base URL',
  'check-host': () => 'check the host of the base URL',
  'check-connection': () => 'check the base URL and the network',
  'start-server': ({ port }) => `is the server on port ${port} running? start it, and try again`,
  'set-base-url': setBaseUrlHint,
  'remove-user-info': () => 'remove them from the URL',
  'use-https': () => 'use an https base URL, or restart natter with --allow-insecure',
  'sign-in': () => 'enter a valid key',
  'enter-key-again': () => 'enter the key again',
  'check-permissions': () => 'ask the issuer of the key for more permissions',
  'raise-max-tokens': () => '/param max_tokens=NUMBER raises the limit',
  'remove-parameter': () => '/param NAME off removes one; /param lists them',
  'check-request': () => '/model, /system and /param change what is sent',
  'shorten-or-wait': () => '/compact shortens the conversation; or wait a minute',
  'shorten-prompt': () => shortenPromptHint,
  'check-model': () => '/model lists the available models; also check the base URL',
  'choose-model': () => '/model lists the available models and chooses one',
  'list-models': () => '/model lists the available models',
  'list-conversations': () => '/resume shows their ids and titles',
  'record-request': ({ file }) =>
    `repeat the request exactly as recorded, or restart natter with --record ${file}`,
};
