import { pathOf, siblingsOf, type Conversation, type Turn } from '../tree.ts';

export interface ExportOptions {
  /** All versions of every turn, instead of the selected ones. */
  readonly siblings: boolean;
}

export interface ExportedTurn {
  readonly turn: Turn;
  /** `You`, `System`, or the model. */
  readonly speaker: string;
  /** Such as `version 2 of 3, incomplete`; may be empty. */
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

/** The selected turns in order, or all, oldest first. */
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
