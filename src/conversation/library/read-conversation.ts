import { readLines, unreadLines } from '../../storage/read-lines.ts';
import { storageFailure } from '../../storage/storage-failure.ts';
import { JournalFold, parseLine, type DeltaRecord } from '../journal/records.ts';
import { textOf, titleFrom, type Turn } from '../tree.ts';
import { dataVariable } from './conversation-folder.ts';

/** NULs, which a power loss leaves in a file, end a record as a line end does. */
function partsOf(line: string): readonly string[] {
  if (!line.includes('\0')) return [line];
  const parts = line.split(/\0+/).filter((part) => part.trim() !== '');
  return parts.length === 0 ? ['\0'] : parts;
}

/** The folder that a conversation was started in; undefined if its first line does not say. @throws the system's error */
export function startFolder(path: string): string | undefined {
  const [line = ''] = readLines(path);
  const { record } = parseLine(line);
  if (record?.type !== 'conversation' || typeof record.folder !== 'string') return undefined;
  return record.folder;
}

/**
 * Reads a damaged file as far as possible. With an offset in bytes, only the turns after it are read, and the one that
 * it cuts counts as lost.
 * @throws Failure `storage` if the file cannot be read
 */
export function loadConversation(path: string, id: string, start = 0) {
  const fold = new JournalFold(id);
  const lost = new Set<number>();
  let version = 0;
  let records = 0;
  let number = 0;
  let delta: DeltaRecord | undefined;
  let pieces: string[] = [];
  // Joined once: the texts of a conversation that is joined piece by piece take twice the memory when they are read.
  const applyPieces = () => {
    if (delta !== undefined) fold.apply({ ...delta, text: pieces.join('') });
    delta = undefined;
    pieces = [];
  };
  try {
    for (const line of readLines(path, start)) {
      number += 1;
      for (const part of partsOf(line)) {
        const { record, isLost } = parseLine(part);
        if (isLost) lost.add(number);
        if (record === undefined) continue;
        records += 1;
        if (record.type === 'conversation') version = record.version;
        if (record.type !== delta?.type || record.turn !== delta.turn) applyPieces();
        if (record.type === 'text' || record.type === 'refusal' || record.type === 'thought') {
          delta = record;
          pieces.push(record.text);
        } else fold.apply(record);
      }
    }
  } catch (error) {
    throw storageFailure('read', path, error, dataVariable);
  }
  applyPieces();
  return {
    fold,
    /** Version of the format; 0 if the header was lost. */
    version,
    /** Records that could be read. */
    records,
    /** What to warn of if lines could not be read; undefined for an undamaged file. */
    warning: lost.size === 0 ? undefined : unreadLines(path, lost),
  };
}

/** What a list shows. @throws Failure `storage` if the file cannot be read */
export function summarize(path: string) {
  const { fold, records } = loadConversation(path, '');
  const conversation = fold.conversation();
  const turns = [...conversation.turns.values()].filter(({ role }) => role !== 'system');
  const firstWords = titleFrom(turns.find(({ role }) => role === 'user')?.content ?? '');
  const counts = turns
    .map(({ usage }) => usage?.total_tokens)
    .filter((count) => typeof count === 'number');
  // An answer without text is one if the service ended it.
  const isAnswer = (turn: Turn) =>
    turn.role === 'assistant' && (textOf(turn) !== '' || turn.finishReason !== undefined);
  return {
    /** Empty for a conversation without a prompt. */
    title: conversation.title ?? firstWords,
    /** The start of the first prompt, which is the title of a conversation that was not renamed. */
    firstWords,
    /** Prompts and answers, versions that are not selected included. */
    turns: turns.length,
    /** The tokens of all answers as the service reported them; undefined if it reported none. */
    tokens: counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count),
    /** The model of the last answer, or the last requested one. */
    model: turns.findLast(({ model }) => model !== undefined)?.model,
    /** Whether any prompt has an answer or a part of one. */
    isAnswered: turns.some(isAnswer),
    createdAt: conversation.createdAt,
    /** What lists say besides the title. */
    marks: conversation.pin === true ? ['pinned'] : [],
    /** Records that could be read; 0 for a file that is not a journal. */
    records,
  };
}
