import { titleOf, pathOf, type Conversation, type Turn } from '../tree.ts';
import type { ExportOptions } from './exported-turns.ts';

function turnDocument(turn: Turn) {
  const { timing } = turn;
  return {
    id: turn.id,
    parent: turn.parent ?? null,
    role: turn.role,
    content: turn.content,
    refusal: turn.refusal,
    created_at: turn.createdAt.toISOString(),
    model: turn.model,
    finish_reason: turn.finishReason,
    usage: turn.usage,
    timing:
      timing === undefined
        ? undefined
        : { first_text_ms: timing.firstText, total_ms: timing.total },
    incomplete: turn.incomplete,
    failure: turn.failure,
  };
}

/** `{id, title, created_at, selected: [turn ids], turns: [{id, parent, role, content, …}]}`, in pieces. */
export function* exportJson(
  conversation: Conversation,
  { siblings }: ExportOptions,
): Generator<string, void> {
  const path = pathOf(conversation);
  const head = {
    id: conversation.id,
    title: titleOf(conversation),
    created_at: conversation.createdAt.toISOString(),
    selected: path.map(({ id }) => id),
  };
  yield `${JSON.stringify(head, undefined, 2).slice(0, -2)},\n  "turns": [`;
  let separator = '\n    ';
  for (const turn of siblings ? conversation.turns.values() : path) {
    const document = JSON.stringify(turnDocument(turn), undefined, 2);
    yield separator + document.replaceAll('\n', '\n    ');
    separator = ',\n    ';
  }
  yield separator.startsWith(',') ? '\n  ]\n}\n' : ']\n}\n';
}
