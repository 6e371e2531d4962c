import type { Timing } from '../../client/events.ts';
import type { EndRecord, TurnRecord } from './records.ts';
import type { Turn } from '../tree.ts';

/** The epoch for a time that cannot be read. */
export function dateOf(text: unknown): Date {
  const value = new Date(typeof text === 'string' ? text : Number.NaN);
  return Number.isNaN(value.getTime()) ? new Date(0) : value;
}

function timingOf({ timing }: EndRecord): Timing | undefined {
  if (typeof timing?.total_ms !== 'number') return undefined;
  const { first_text_ms: firstText, total_ms: total } = timing;
  return typeof firstText === 'number' ? { firstText, total } : { total };
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
