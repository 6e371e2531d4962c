import type { ProgramClock } from '../../clock.ts';
import type { Failure } from '../../failure.ts';
import type { ProcessFacts } from '../../storage/lock/process-facts.ts';
import type { AnswerEnd, Conversation, Turn } from '../tree.ts';

export interface JournalOptions {
  /** The data folder. Undefined where the home folder is unknown: nothing is stored, with a warning. */
  readonly folder: string | undefined;
  /** False with `--no-save`: everything works, but nothing is stored, without a warning. Default true. */
  readonly save?: boolean;
  readonly clock: ProgramClock;
  /** A number from 0 up to 1, as `Math.random`. */
  readonly random: () => number;
  readonly process: ProcessFacts;
  /** natter's version. */
  readonly version: string;
  /** Masks secrets in what is written; the conversation in memory and the requests keep them. */
  readonly mask?: (text: string) => string;
  /** Called at the first failed write, and at the first after a successful one; one sentence. */
  readonly onWarning: (text: string) => void;
}

interface NewTurn {
  readonly role: 'user' | 'system';
  readonly content: string;
  /** Default: the leaf. An edited turn has its original's parent; undefined starts the conversation again. */
  readonly parent?: string | undefined;
}

/** An answer about to be received. */
export interface NewAnswer {
  /** The requested model. */
  readonly model: string;
  /** For an answer of a comparison: the model that the conversation continues with. */
  readonly nextModel?: string | undefined;
  /** The user's turn; default: the leaf. */
  readonly parent?: string | undefined;
}

export interface StorageState {
  readonly isStored: boolean;
  /** Turns not completely on disk. */
  readonly unsavedTurns: number;
  /** The file, which may not exist yet; undefined where nothing is stored. */
  readonly path: string | undefined;
  /** Why the last write failed. */
  readonly failure: Failure | undefined;
}

/**
 * One conversation, open for writing. Every change is appended to its file before the call returns. A failed
 * write never throws here: `onWarning` reports it once, and the next change writes the kept records again. Nothing is created on disk before the first turn.
 */
export interface Journal {
  /** Includes the text so far of an answer that is streaming. Cheap when nothing changed since the last call. */
  conversation(): Conversation;
  /** Adds a turn and selects it. It is on disk when this returns: send the request afterwards. */
  addTurn(turn: NewTurn): Turn;
  /** Adds an answer and selects it; call it at its first delta, or when it failed without one. */
  startAnswer(answer: NewAnswer): Turn;
  /** Adds a delta of a started answer. Written at least twice a second. */
  appendText(answerId: string, text: string): void;
  /** Adds a delta of a refusal that the service sends apart from the text; written like text. */
  appendRefusal(answerId: string, text: string): void;
  endAnswer(answerId: string, end: AnswerEnd): Turn;
  /** Selects a turn among its versions, and the path below it that was selected last. */
  choose(turnId: string): void;
  /** Removes a turn and all that follows it: its parent becomes the leaf. */
  undo(turnId: string): void;
  setTitle(title: string): void;
  /** Writes what is not on disk, if it can. */
  save(): StorageState;
  state(): StorageState;
  /** Ends open answers as incomplete, waits until everything is on disk, and releases the lock. */
  close(): Promise<void>;
}
