import { readLines } from '../../storage/read-lines.ts';
import { storageFailure } from '../../storage/storage-failure.ts';
import { dataVariable } from './conversation-folder.ts';
import { isTextLine, parseLine, type JournalRecord } from '../journal/records.ts';
import { titleFrom } from '../tree.ts';

export interface ConversationSummary {
  /** Empty for a conversation without a prompt. */
  readonly title: string;
  /** Prompts and answers, versions that are not selected included. */
  readonly turns: number;
  /** Of all answers, as reported by the service; undefined where it reported none. */
  readonly tokens: number | undefined;
  /** The model of the last answer, or the last requested one. */
  readonly model: string | undefined;
  readonly createdAt: Date | undefined;
  /** Records that could be read; 0 for a file that is not a journal. */
  readonly records: number;
}

interface Draft {
  given?: string;
  first?: string;
  turns: number;
  tokens?: number;
  model?: string;
  createdAt?: Date;
  records: number;
}

function add(draft: Draft, record: JournalRecord): void {
  draft.records += 1;
  if (record.type === 'conversation') draft.createdAt = new Date(record.created_at);
  if (record.type === 'title') draft.given = record.title;
  if (record.type === 'turn') {
    if (record.role !== 'system') draft.turns += 1;
    if (record.role === 'user') draft.first ??= titleFrom(record.content);
  }
  if (record.type === 'turn' || record.type === 'end') {
    if (typeof record.model === 'string') draft.model = record.model;
  }
  if (record.type === 'end' && typeof record.usage?.total_tokens === 'number') {
    draft.tokens = (draft.tokens ?? 0) + record.usage.total_tokens;
  }
}

/** Reads only what a list shows. @throws Failure `storage` when the file cannot be read */
export function summarize(path: string): ConversationSummary {
  const draft: Draft = { turns: 0, records: 0 };
  try {
    for (const lines of readLines(path)) {
      for (const line of lines) {
        // Most lines are text of answers, which a list does not show.
        const record = isTextLine(line) ? undefined : parseLine(line).record;
        if (record !== undefined) add(draft, record);
      }
    }
  } catch (error) {
    throw storageFailure('read', path, error, dataVariable);
  }
  const { given, first, turns, tokens, model, createdAt, records } = draft;
  return { title: given ?? first ?? '', turns, tokens, model, createdAt, records };
}
