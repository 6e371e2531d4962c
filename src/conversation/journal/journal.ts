import type { ProgramClock } from '../../clock.ts';
import type { Failure } from '../../failure.ts';
import type { ProcessFacts } from '../../storage/lock/process-facts.ts';
import type { AnswerEnd, Conversation, Turn } from '../tree.ts';

/** What a journal needs of the world. */
export interface JournalOptions {
  /** The data folder; undefined where the system names no home: nothing is stored then, and a warning says so. */
  readonly folder: string | undefined;
  /** False with `--no-save`: everything works, nothing is stored, nothing is warned of. Default true. */
  readonly save?: boolean;
  readonly clock: ProgramClock;
  /** A number from 0 up to 1, as `Math.random`. */
  readonly random: () => number;
  readonly process: ProcessFacts;
  /** natter's own version. */
  readonly version: string;
  /** Takes secrets out of what is written; the conversation in memory, and what is sent of it, keeps them. */
  readonly mask?: (text: string) => string;
  /** Called at the first write that fails, and at the first that fails after one that did not; one sentence. */
  readonly onWarning: (text: string) => void;
}

interface NewTurn {
  readonly role: 'user' | 'system';
  readonly content: string;
  /** Default: the leaf. An edited turn has its original's parent; undefined opens the conversation anew. */
  readonly parent?: string | undefined;
}

/** An answer about to be received. */
export interface NewAnswer {
  /** The model asked. */
  readonly model: string;
  /** The model that the conversation goes on with, where this answer is asked for to be compared. */
  readonly nextModel?: string | undefined;
  /** The user's turn; default: the leaf. */
  readonly parent?: string | undefined;
}

export interface StorageState {
  /** Everything so far is on disk. */
  readonly isStored: boolean;
  /** Turns that are not, or not wholly, on disk. */
  readonly unsavedTurns: number;
  /** Where it is, or would be; undefined where there is no folder or nothing is to be saved. */
  readonly path: string | undefined;
  /** Why the last write failed. */
  readonly failure: Failure | undefined;
}

/**
 * One conversation, open for writing. Every change is appended to its file before the call returns; storage that
 * fails never throws here: `onWarning` tells it once, what could not be written is kept and tried again with
 * the next change. Nothing is created on disk before the first turn.
 */
export interface Journal {
  /** Everything so far, an answer that is coming included. Cheap when nothing changed since the last call. */
  conversation(): Conversation;
  /** Adds a turn and selects it. On disk when it returns: send the request after. */
  addTurn(turn: NewTurn): Turn;
  /** Begins an answer and selects it; call it when its first text comes, or when it failed without any. */
  startAnswer(answer: NewAnswer): Turn;
  /** Text of an answer that was begun. Written at least twice a second. */
  appendText(answerId: string, text: string): void;
  /** More of a refusal that the service sends apart from the text, written as text is. */
  appendRefusal(answerId: string, text: string): void;
  endAnswer(answerId: string, end: AnswerEnd): Turn;
  /** Selects a turn among its siblings, and with it the path below that was selected last. */
  choose(turnId: string): void;
  /** Leaves a turn out, with all that follows it: its parent becomes the leaf. */
  undo(turnId: string): void;
  setTitle(title: string): void;
  /** Tries to write what is not on disk. */
  save(): StorageState;
  state(): StorageState;
  /** Ends open answers as incomplete, waits until the disk has everything, and lets others open it. */
  close(): Promise<void>;
}
