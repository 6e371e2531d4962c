import { readLines } from '../../storage/read-lines.ts';
import { storageFailure } from '../../storage/storage-failure.ts';
import { JournalFold } from '../journal/fold-journal.ts';
import { isTextLine, parseLine, type DeltaRecord, type JournalRecord } from '../journal/records.ts';
import { titleFrom } from '../tree.ts';
import { dataVariable } from './conversation-folder.ts';

/** @throws Failure `storage` if the file cannot be read */
function forEachLine(path: string, read: (line: string) => void, start = 0): void {
  try {
    for (const lines of readLines(path, start)) {
      for (const line of lines) read(line);
    }
  } catch (error) {
    throw storageFailure('read', path, error, dataVariable);
  }
}

export interface LoadedConversation {
  readonly fold: JournalFold;
  /** Version of the format; 0 if the header was lost. */
  readonly version: number;
  /** Records that could be read. */
  readonly records: number;
  /** Lines of which something could not be read. */
  readonly lostLines: number;
}

/**
 * Reads a damaged file as far as possible. With an offset in bytes, only the turns after it are read, and the one that
 * it cuts counts as lost.
 * @throws Failure `storage` if the file cannot be read
 */
export function loadConversation(path: string, id: string, start = 0): LoadedConversation {
  const fold = new JournalFold(id);
  let version = 0;
  let records = 0;
  let lostLines = 0;
  let delta: DeltaRecord | undefined;
  let pieces: string[] = [];
  // Joined once: the texts of a conversation that is joined piece by piece take twice the memory when they are read.
  const applyPieces = () => {
    if (delta !== undefined) fold.apply({ ...delta, text: pieces.join('') });
    delta = undefined;
    pieces = [];
  };
  const read = (line: string) => {
    const { record, kind } = parseLine(line);
    if (kind === 'lost') lostLines += 1;
    if (record === undefined) return;
    records += 1;
    if (record.type === 'conversation') version = record.version;
    if (record.type !== delta?.type || record.turn !== delta.turn) applyPieces();
    if (record.type === 'text' || record.type === 'refusal' || record.type === 'thought') {
      delta = record;
      pieces.push(record.text);
    } else fold.apply(record);
  };
  forEachLine(path, read, start);
  applyPieces();
  return { fold, version, records, lostLines };
}

/** Undefined for an undamaged file. */
export function lostLinesWarning(id: string, lostLines: number): string | undefined {
  if (lostLines === 0) return undefined;
  const lines = lostLines === 1 ? '1 line' : `${lostLines} lines`;
  return `${lines} of conversation ${id} could not be read; the rest is loaded`;
}

export interface ConversationSummary {
  /** Empty for a conversation without a prompt. */
  readonly title: string;
  /** The start of the first prompt, which is the title of a conversation that was not renamed. */
  readonly firstWords: string;
  /** Prompts and answers, versions that are not selected included. */
  readonly turns: number;
  /** Of all answers, as reported by the service; undefined if it reported none. */
  readonly tokens: number | undefined;
  /** The model of the last answer, or the last requested one. */
  readonly model: string | undefined;
  /** Whether any prompt has an answer or a part of one. */
  readonly isAnswered: boolean;
  readonly createdAt: Date | undefined;
  /** Records that could be read; 0 for a file that is not a journal. */
  readonly records: number;
}

/** An answer without text is one if the service ended it. */
const isPartOfAnswer = (record: JournalRecord) =>
  record.type === 'refusal' ||
  (record.type === 'turn' && record.role === 'assistant' && record.content !== '') ||
  (record.type === 'end' && record.finish_reason !== undefined);

/** Reads only what a list shows. @throws Failure `storage` if the file cannot be read */
export function summarize(path: string): ConversationSummary {
  let [turns, records, isAnswered] = [0, 0, false];
  let title: string | undefined;
  let firstWords: string | undefined;
  let tokens: number | undefined;
  let model: string | undefined;
  let createdAt: Date | undefined;
  forEachLine(path, (line) => {
    // Most lines are text of answers, which a list does not show.
    if (isTextLine(line)) isAnswered = true;
    const { record } = isTextLine(line) ? {} : parseLine(line);
    if (record === undefined) return;
    records += 1;
    if (isPartOfAnswer(record)) isAnswered = true;
    if (record.type === 'conversation') createdAt = new Date(record.created_at);
    if (record.type === 'title') title = record.title;
    if (record.type === 'turn') {
      if (record.role !== 'system') turns += 1;
      if (record.role === 'user') firstWords ??= titleFrom(record.content);
    }
    if ((record.type === 'turn' || record.type === 'end') && typeof record.model === 'string') {
      model = record.model;
    }
    if (record.type === 'end' && typeof record.usage?.total_tokens === 'number') {
      tokens = (tokens ?? 0) + record.usage.total_tokens;
    }
  });
  title ??= firstWords ?? '';
  firstWords ??= '';
  return { title, firstWords, turns, tokens, model, isAnswered, createdAt, records };
}

/** The title in a list, with a mark if no prompt was answered. */
export function markedTitle({ title, turns, isAnswered }: ConversationSummary): string {
  return isAnswered || turns === 0 ? title : `(no answer) ${title}`;
}
