import type { AnswerCheck } from '../../ask/check.ts';
import type { Client } from '../../client/client.ts';
import type { ChatEvent } from '../../client/events.ts';
import type { CompletionRequest, Message, ModelRecord } from '../../client/contract.ts';
import type { Clock } from '../../clock.ts';
import type { AttachedFile } from '../../conversation/compose-prompt.ts';
import type { ModelWindows } from '../../conversation/context-fit.ts';
import type { Journal } from '../../conversation/journal/journal.ts';
import type { ResumeResult } from '../../conversation/journal/open-journal.ts';
import type { Candidate } from '../editing/completion.ts';
import type { LibraryEntry } from '../../conversation/library/library.ts';
import type { ListedConversation, PreviewTurn } from '../state/conversation-list.ts';
import type { FoundServer } from '../state/dialog.ts';
import type { SessionSettings } from '../state/effect.ts';
import type { OpenedPrompt, PromptCommand, PromptUse } from '../state/prompt-command.ts';
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
  /**
   * @param promptTokens of the messages, if more is known than an estimate
   * @throws Failure of kind `invalid_request` if the prompt cannot fit the window
   */
  plan(
    messages: readonly Message[],
    settings: SessionSettings,
    promptTokens?: number,
  ): PlannedPrompt;
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
  /** The fields of the next request's body besides the usual ones. */
  parameters(settings: SessionSettings): Readonly<Record<string, unknown>>;
}

/** System prompts by name. Functions throw Failure. */
interface RolesPort {
  names(): readonly string[];
  read(name: string): string;
}

/** Reads the list of conversations in parts, each so short that keys are not delayed. */
export interface ListPort {
  now(): Date;
  /** Newest first. @throws Failure */
  entries(): readonly LibraryEntry[];
  /** The entries from `from` on, at least one; undefined for an entry that cannot be read. */
  read(entries: readonly LibraryEntry[], from: number): readonly (ListedConversation | undefined)[];
  /** For the entries from `from` on, at least one: the text around the first hit; undefined without one. */
  search(
    entries: readonly LibraryEntry[],
    from: number,
    query: string,
  ): readonly (string | undefined)[];
  /** The last turns. */
  preview(entry: LibraryEntry): readonly PreviewTurn[];
}

/** Conversations on disk. Functions throw Failure. */
export interface LibraryPort {
  create(): Journal;
  /** The id of a conversation, by its id or a prefix of it, its title, or `latest`. Undefined if several match. */
  find(name: string): string | undefined;
  resume(id: string): ResumeResult;
  /** A copy of a conversation, which may be open elsewhere. */
  branch(id: string): Journal;
  list(): Promise<ListPort>;
  /** Lines of a list, newest first; a query selects those whose title or text contains it. */
  describe(query: string, signal: AbortSignal): Promise<string>;
  /** For completion. */
  names(): readonly Candidate[];
}

interface AttachedFiles {
  readonly files: readonly AttachedFile[];
  /** Of a folder or a pattern: the number of its files, and what was left out. */
  readonly summary?: string | undefined;
}

/** The user's files. Paths are as typed: `~` is the home folder. Functions throw Failure. */
export interface FilesPort {
  /** A file, or the files of a folder or a pattern with a summary, or the text of a page. */
  attach(path: string, signal: AbortSignal): Promise<AttachedFiles>;
  /** `page` is an `https:` address. Undefined if the path is nothing of these. */
  kindOf(path: string): 'file' | 'folder' | 'pattern' | 'page' | undefined;
  candidates(folder: string): readonly Candidate[];
  /** The paths below the current folder that `.gitignore` does not exclude; `isPartial`: there are more. */
  paths(): Promise<{
    readonly paths: readonly { readonly path: string; readonly isFolder: boolean }[];
    readonly isPartial: boolean;
  }>;
  /** Creates a file. @returns its full path */
  write(path: string, text: string): string;
  /**
   * Writes a file for its owner only; undefined if it exists and may not be replaced.
   * @returns its full path and size
   */
  writePrivate(
    path: string,
    pieces: Iterable<string>,
    replaces: boolean,
  ): Promise<{ readonly path: string; readonly bytes: number } | undefined>;
}

export interface ShellRun {
  /** Aborts to end the command. */
  readonly signal: AbortSignal;
  /** Gets the output as it arrives; no more is read until it resolves. */
  readonly onOutput: (text: string) => Promise<void>;
}

/** How a command ended: with an exit code, or by a signal. */
export interface ShellEnd {
  readonly code: number | undefined;
  readonly killedBy: string | undefined;
  /** A process that it started still has the output open. */
  readonly isOpen: boolean;
}

/** The user's shell. */
export interface ShellPort {
  /** @throws Failure if the shell cannot be started */
  run(command: string, options: ShellRun): Promise<ShellEnd>;
  /** Masks natter's secrets. */
  mask(text: string): string;
}

/** A prompt file filled with its values. */
export interface FilledPrompt {
  readonly content: string;
  /** Of this answer only. */
  readonly settings: Partial<SessionSettings>;
  /** What the file asks for and natter ignores. */
  readonly notices: readonly string[];
  /** If the file has a schema. */
  readonly check?: AnswerCheck;
}

/** Prompt files of the project and of the user. Functions throw Failure. */
export interface PromptsPort {
  list(): Promise<readonly PromptCommand[]>;
  /** Undefined if there is no prompt file with this name. */
  open(name: string, signal: AbortSignal): Promise<OpenedPrompt | undefined>;
  fill(use: PromptUse, signal: AbortSignal): Promise<FilledPrompt>;
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
  readonly prompts: PromptsPort;
  readonly roles: RolesPort;
  /** Reads `name=value`, a field of the request body. @throws Failure */
  readonly parseParameter: (text: string) => readonly [name: string, value: unknown];
  readonly guard: GuardPort;
  readonly shell: ShellPort;
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
  /** Resolves when text would be shown at once, or with `skipsOne` one update later; undefined if that is now. */
  nextUpdate(skipsOne: boolean): Promise<void> | undefined;
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
