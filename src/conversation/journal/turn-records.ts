import {
  journalVersion,
  type EndRecord,
  type JournalRecord,
  type TurnRecord,
} from './records.ts';
import type { AnswerEnd, Conversation, Turn } from '../tree.ts';

export function headerRecord(id: string, createdAt: Date, version: string): JournalRecord {
  return {
    type: 'conversation',
    version: journalVersion,
    id,
    created_at: createdAt.toISOString(),
    natter: version,
  };
}

export function turnRecord(turn: Turn): TurnRecord {
  return {
    type: 'turn',
    id: turn.id,
    parent: turn.parent ?? null,
    role: turn.role,
    content: turn.content,
    created_at: turn.createdAt.toISOString(),
    ...(turn.model === undefined ? {} : { model: turn.model }),
    ...(turn.nextModel === undefined ? {} : { next_model: turn.nextModel }),
  };
}

function startRecords(turn: Turn): readonly JournalRecord[] {
  const { id, refusal: text } = turn;
  const begun = turnRecord(turn);
  return text === undefined ? [begun] : [begun, { type: 'refusal', turn: id, text }];
}

export function endRecord(turnId: string, end: AnswerEnd): EndRecord {
  const { firstText, total } = end.timing ?? {};
  const firstTextField = firstText === undefined ? {} : { first_text_ms: Math.round(firstText) };
  return {
    type: 'end',
    turn: turnId,
    model: end.model,
    finish_reason: end.finishReason,
    usage: end.usage,
    timing: total === undefined ? undefined : { ...firstTextField, total_ms: Math.round(total) },
    incomplete: end.incomplete === true ? true : undefined,
    failure: end.failure,
  };
}

/** All records of a conversation: for copies, and to replace a lost file. */
export function recordsOf(
  conversation: Conversation,
  isOpen: (turnId: string) => boolean,
): readonly JournalRecord[] {
  const turns = [...conversation.turns.values()];
  const newest = new Map(turns.map((turn) => [turn.parent, turn.id]));
  return [
    ...turns.flatMap((turn) =>
      turn.role === 'assistant' && !isOpen(turn.id)
        ? [...startRecords(turn), endRecord(turn.id, turn)]
        : startRecords(turn),
    ),
    ...(conversation.title === undefined
      ? []
      : [{ type: 'title', title: conversation.title } as const]),
    ...[...conversation.choices]
      .filter(([parent, turn]) => newest.get(parent) !== turn)
      .map(([, turn]) => ({ type: 'choice', turn }) as const),
    ...[...newest]
      .filter(([parent]) => !conversation.choices.has(parent))
      .map(([, turn]) => ({ type: 'undo', turn }) as const),
  ];
}
