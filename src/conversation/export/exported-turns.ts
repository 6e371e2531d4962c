import { pathOf, siblingsOf, type Conversation, type Turn } from '../tree.ts';

export interface ExportOptions {
  /** Every version of every turn, not the selected ones alone. */
  readonly siblings: boolean;
}

/** A turn as an export shows it. */
export interface ExportedTurn {
  readonly turn: Turn;
  /** `You`, `System`, or the model. */
  readonly speaker: string;
  /** `version 2 of 3, incomplete`; empty for a turn with nothing to say of it. */
  readonly remark: string;
}

function speakerOf({ role, model }: Turn): string {
  if (role === 'assistant') return model ?? 'Assistant';
  return role === 'user' ? 'You' : 'System';
}

function remarkOf(conversation: Conversation, turn: Turn, { siblings }: ExportOptions): string {
  const versions = siblings ? siblingsOf(conversation, turn) : [];
  const remarks: string[] = [];
  if (versions.length > 1) {
    remarks.push(`version ${versions.indexOf(turn) + 1} of ${versions.length}`);
    if (conversation.choices.get(turn.parent) === turn.id) remarks.push('selected');
  }
  if (turn.refusal !== undefined) remarks.push('refused');
  if (turn.incomplete === true) remarks.push('incomplete');
  if (turn.failure !== undefined) remarks.push(turn.failure.replaceAll('_', ' '));
  return remarks.join(', ');
}

/** The selected turns in order, or all, each version with what follows it. */
export function exportedTurns(
  conversation: Conversation,
  options: ExportOptions,
): readonly ExportedTurn[] {
  const turns = options.siblings ? [...conversation.turns.values()] : pathOf(conversation);
  return turns.map((turn) => ({
    turn,
    speaker: speakerOf(turn),
    remark: remarkOf(conversation, turn, options),
  }));
}
