import type { Timing } from '../../client/events.ts';
import {
  journalVersion,
  type EndRecord,
  type JournalRecord,
  type ParametersRecord,
  type SummaryRecord,
  type TurnRecord,
} from './records.ts';
import type { AnswerEnd, Conversation, ParameterChanges, Summary, Turn } from '../tree.ts';

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
    ...(turn.profile === undefined ? {} : { profile: turn.profile }),
    ...(turn.fallbackFrom === undefined ? {} : { fallbackFrom: turn.fallbackFrom }),
  };
}

function startRecords(turn: Turn): readonly JournalRecord[] {
  const { id, refusal, thought } = turn;
  return [
    turnRecord(turn),
    ...(thought === undefined ? [] : [{ type: 'thought', turn: id, text: thought } as const]),
    ...(refusal === undefined ? [] : [{ type: 'refusal', turn: id, text: refusal } as const]),
  ];
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

export function summaryRecord({ createdAt, ...summary }: Summary): SummaryRecord {
  const { turn, after, content, model, usage } = summary;
  return {
    type: 'summary',
    turn,
    after,
    content,
    created_at: createdAt.toISOString(),
    model,
    usage,
  };
}

/** All records of a conversation, for a copy or a removed file; open answers get no end. */
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
    ...(conversation.chosenModel === undefined
      ? []
      : [{ type: 'model', model: conversation.chosenModel } as const]),
    ...[...conversation.selection]
      .filter(([parent, turn]) => newest.get(parent) !== turn)
      .map(([, turn]) => ({ type: 'choice', turn }) as const),
    ...[...newest]
      .filter(([parent]) => !conversation.selection.has(parent))
      .map(([, turn]) => ({ type: 'undo', turn }) as const),
    ...[...(conversation.summaries?.values() ?? [])].map(summaryRecord),
    ...(conversation.parameters === undefined
      ? []
      : [{ type: 'parameters', ...conversation.parameters } as const]),
  ];
}

/** The epoch for an invalid time. */
export function dateOf(text: unknown): Date {
  const value = new Date(typeof text === 'string' ? text : Number.NaN);
  return Number.isNaN(value.getTime()) ? new Date(0) : value;
}

function timingOf({ timing }: EndRecord): Timing | undefined {
  if (typeof timing?.total_ms !== 'number') return undefined;
  const { first_text_ms: firstText, total_ms: total } = timing;
  return typeof firstText === 'number' ? { firstText, total } : { total };
}

/** Without fields that are not valid. */
export function parametersFromRecord({ set, removed }: ParametersRecord): ParameterChanges {
  return {
    set: typeof set === 'object' && set !== null && !Array.isArray(set) ? set : {},
    removed: Array.isArray(removed) ? removed.filter((name) => typeof name === 'string') : [],
  };
}

export function summaryFromRecord(record: SummaryRecord): Summary {
  const { turn, after, content, model, usage } = record;
  return {
    turn,
    after,
    content,
    createdAt: dateOf(record.created_at),
    ...(typeof model === 'string' ? { model } : {}),
    ...(typeof usage === 'object' && usage !== null ? { usage } : {}),
  };
}

export function turnFromRecord(record: TurnRecord, parent: string | undefined): Turn {
  return {
    id: record.id,
    parent,
    role: record.role,
    content: record.content,
    createdAt: dateOf(record.created_at),
    ...(typeof record.model === 'string' ? { model: record.model } : {}),
    ...(typeof record.next_model === 'string' ? { nextModel: record.next_model } : {}),
    ...(typeof record.profile === 'string' ? { profile: record.profile } : {}),
    ...(Array.isArray(record.fallbackFrom) ? { fallbackFrom: record.fallbackFrom } : {}),
    // Until its end record.
    ...(record.role === 'assistant' ? { incomplete: true } : {}),
  };
}

export function withEnd(turn: Turn, record: EndRecord): Turn {
  const { incomplete: _open, ...rest } = turn;
  const timing = timingOf(record);
  return {
    ...rest,
    ...(typeof record.model === 'string' ? { model: record.model } : {}),
    ...(typeof record.finish_reason === 'string' ? { finishReason: record.finish_reason } : {}),
    ...(typeof record.usage === 'object' && record.usage !== null ? { usage: record.usage } : {}),
    ...(timing === undefined ? {} : { timing }),
    ...(record.incomplete === true ? { incomplete: true } : {}),
    ...(typeof record.failure === 'string' ? { failure: record.failure } : {}),
  };
}
