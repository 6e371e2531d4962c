import type { Client } from '../../client/client.ts';
import type { CompletionRequest, Message, ModelRecord } from '../../client/contract.ts';
import type { Clock } from '../../clock.ts';
import type { AttachedFile } from '../../conversation/compose-prompt.ts';
import type { ModelWindows } from '../../conversation/context-fit.ts';
import type { Journal } from '../../conversation/journal/journal.ts';
import type { Candidate } from '../editing/completion.ts';
import type { FoundServer } from '../state/dialog.ts';
import type { Choices } from '../state/effect.ts';
import type { ReplState, ServiceFacts } from '../state/state.ts';
import type { TerminalDevice } from '../../terminal/device/device.ts';
import type { OutputStream } from '../../terminal/device/streams.ts';

/** A request, and what to tell before it is sent. */
interface PlannedPrompt {
  readonly request: CompletionRequest;
  readonly warning: string | undefined;
}

/** The service in use; another one can take its place. */
export interface ServicePort {
  client(): Client;
  /** @throws Failure of kind `invalid_request` for what cannot fit */
  plan(messages: readonly Message[], choices: Choices): PlannedPrompt;
  /** Checks an address and a key, stores them and goes over to them. @throws Failure */
  connect(address: string, key: string | undefined, signal: AbortSignal): Promise<ServiceFacts>;
  /** Asks the usual local ports who is there. */
  findServers(signal: AbortSignal): Promise<readonly FoundServer[]>;
  describeModels(records: readonly ModelRecord[]): string;
  /** What the service has said of the windows of its models. */
  windows(): ModelWindows;
}

/** Conversations on disk. Functions throw Failure. */
export interface LibraryPort {
  create(): Journal;
  /** The id of a conversation, by its id, the beginning of that, its title, or `latest`. */
  find(name: string): string;
  resume(id: string): Journal;
  /** Lines of a list, newest first; a query keeps those whose title or text holds it. */
  describe(query: string, signal: AbortSignal): Promise<string>;
  /** For completion. */
  names(): readonly Candidate[];
}

/** Files of the person's. Paths are as typed: `~` stands for the home folder. Functions throw Failure. */
export interface FilesPort {
  attach(path: string, signal: AbortSignal): Promise<AttachedFile>;
  /** Undefined where neither is. */
  kindOf(path: string): 'file' | 'folder' | undefined;
  candidates(folder: string): readonly Candidate[];
  /** Makes a new file. @returns its full path */
  write(path: string, text: string): string;
}

/** What a session needs of the world. */
export interface SessionPorts {
  readonly clock: Clock;
  /** Makes a text one safe line and masks secrets. */
  readonly clean: (text: string) => string;
  readonly service: ServicePort;
  readonly library: LibraryPort;
  readonly files: FilesPort;
  /** Puts a text into the clipboard and tells how. @throws Failure */
  readonly copy: (text: string, signal: AbortSignal) => Promise<string>;
  /** Lets the person edit a text in their editor; undefined when they cancel it. @throws Failure */
  readonly edit: (text: string) => Promise<string | undefined>;
  /** Adds a sent text to the history over sessions. */
  readonly remember: (text: string) => void;
  /** Keeps the unsent text, so that a crash does not lose it. */
  readonly keepDraft: (text: string) => void;
}

/** What a REPL is started with, in lines or with a live region. */
export interface ReplOptions {
  readonly ports: SessionPorts;
  readonly journal: Journal;
  readonly state: ReplState;
  readonly device: TerminalDevice;
  readonly stdout: OutputStream;
}
