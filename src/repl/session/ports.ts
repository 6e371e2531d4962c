import type { Client } from '../../client/client.ts';
import type { ChatEvent } from '../../client/events.ts';
import type { CompletionRequest, Message, ModelRecord } from '../../client/contract.ts';
import type { Clock } from '../../clock.ts';
import type { AttachedFile } from '../../conversation/compose-prompt.ts';
import type { ModelWindows } from '../../conversation/context-fit.ts';
import type { Journal } from '../../conversation/journal/journal.ts';
import type { Candidate } from '../editing/completion.ts';
import type { FoundServer } from '../state/dialog.ts';
import type { SessionSettings } from '../state/effect.ts';
import type { ReplState, ServiceFacts } from '../state/state.ts';
import type { TerminalDevice } from '../../terminal/device/device.ts';
import type { OutputStream } from '../../terminal/device/streams.ts';

/** A request, and a warning to print before it is sent. */
interface PlannedPrompt {
  readonly request: CompletionRequest;
  readonly warning: string | undefined;
}

/** The service in use, which `connect` can replace. */
export interface ServicePort {
  client(): Client;
  /** @throws Failure of kind `invalid_request` if the prompt cannot fit the window */
  plan(messages: readonly Message[], settings: SessionSettings): PlannedPrompt;
  /** Checks an address and a key, stores them and switches to them. @throws Failure */
  connect(address: string, key: string | undefined, signal: AbortSignal): Promise<ServiceFacts>;
  /**
   * Gets a rejected key again from a password manager's command, which may use the terminal; undefined if no command
   * printed the key. The function returns whether the key is a different one, and throws Failure.
   */
  keyRenewal(): (() => Promise<boolean>) | undefined;
  /** Probes the usual ports of this machine. */
  findServers(signal: AbortSignal): Promise<readonly FoundServer[]>;
  describeModels(records: readonly ModelRecord[]): string;
  /** The windows of the service's models, as far as it reported them. */
  windows(): ModelWindows;
}

/** Conversations on disk. Functions throw Failure. */
export interface LibraryPort {
  create(): Journal;
  /** The id of a conversation, by its id or a prefix of it, its title, or `latest`. */
  find(name: string): string;
  resume(id: string): Journal;
  /** Lines of a list, newest first; a query selects those whose title or text contains it. */
  describe(query: string, signal: AbortSignal): Promise<string>;
  /** For completion. */
  names(): readonly Candidate[];
}

/** The user's files. Paths are as typed: `~` is the home folder. Functions throw Failure. */
export interface FilesPort {
  attach(path: string, signal: AbortSignal): Promise<AttachedFile>;
  /** Undefined if the path is neither. */
  kindOf(path: string): 'file' | 'folder' | undefined;
  candidates(folder: string): readonly Candidate[];
  /** Creates a file. @returns its full path */
  write(path: string, text: string): string;
}

/** Keeps secrets in files from leaving this machine by accident. */
export interface GuardPort {
  /** The files as they may be sent, or what a person has to confirm. @throws Failure */
  inspect(
    files: readonly AttachedFile[],
    choice: { readonly isConfirmed: boolean; readonly isRedacted: boolean },
  ): Promise<{ readonly files: readonly AttachedFile[]; readonly problem?: string }>;
  /** Puts the secrets back. */
  restore(events: AsyncIterable<ChatEvent>): AsyncIterable<ChatEvent>;
  restoreText(text: string): string;
}

/** Everything outside the REPL that a session uses. */
export interface SessionPorts {
  readonly clock: Clock;
  /** Sanitizes a text to one line and masks secrets. */
  readonly clean: (text: string) => string;
  readonly service: ServicePort;
  readonly library: LibraryPort;
  readonly files: FilesPort;
  readonly guard: GuardPort;
  /** Copies a text to the clipboard. @returns how, such as `with pbcopy` @throws Failure */
  readonly copy: (text: string, signal: AbortSignal) => Promise<string>;
  /** Opens a text in the external editor; undefined if the edit is cancelled. @throws Failure */
  readonly edit: (text: string) => Promise<string | undefined>;
  /** Adds a sent text to the persistent history. */
  readonly remember: (text: string) => void;
  /** Saves the unsent text, so that a crash does not lose it. */
  readonly keepDraft: (text: string) => void;
}

/** The output of a session: a live region, or plain lines. */
export interface Screen {
  /** Appends to the scrollback. Returns a promise while the terminal is slow: await it before the next write. */
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

/** Common to line mode and the live region. */
export interface ReplOptions {
  readonly ports: SessionPorts;
  readonly journal: Journal;
  readonly state: ReplState;
  readonly device: TerminalDevice;
  readonly stdout: OutputStream;
}
